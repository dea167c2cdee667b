// apps/render/film.hpp - pictures, one after the other, into a film, by the program ffmpeg
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace sinew::app {

class Film {
 public:
  // The file's ending decides: .mp4 or .gif. Pictures are JPEG for .mp4, PNG for .gif. Throws InputError.
  Film(const std::string& program, const std::filesystem::path&, double rate);
  ~Film();  // ends ffmpeg, whether finish() was called or not
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(const std::string& picture);
  void finish();

 private:
  pid_t child_ = 0;
  int to_ = -1;
};

}  // namespace sinew::app
