// src/io/record_lock.hpp - one writer per record
// A file FILE.lock, locked as long as the writer lives, says who writes: its process, machine and command. The system
// unlocks it when the process ends, however it ends. Disks without locks let everybody write.
#pragma once
#include <filesystem>
#include <string>

namespace sinew::record {

class Lock {
 public:
  // Throws std::invalid_argument naming who writes the record.
  Lock(const std::filesystem::path& record, const std::string& command);
  ~Lock();  // takes the file away
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::string name_;
  int file_ = -1;
};

}  // namespace sinew::record
