// tests/io/input_file_test.cpp - the gate: files with an end come in, everything else is refused and never waited for
#include "sinew/io/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "sinew/io/mesh.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/io/record.hpp"
#include "sinew/io/urdf.hpp"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;

class InputFileTest : public ::testing::Test {
 protected:
  InputFileTest() {
    fs::create_directories(folder);
    EXPECT_EQ(::mkfifo((folder / "pipe.stl").c_str(), 0600), 0);
  }
  ~InputFileTest() override { fs::remove_all(folder); }
  fs::path write(const char* name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }
  fs::path folder = fs::temp_directory_path() / ("sinew_input_" + std::to_string(::getpid()));
  fs::path pipe = folder / "pipe.stl";
};

}  // namespace

TEST_F(InputFileTest, TakesWholeFilesUpToTheLimit) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65536}, std::size_t{1 << 20}}) {
    std::string bytes(size, 'x');
    if (size > 1) bytes[size / 2] = '\0';
    const fs::path file = write("file", bytes);
    EXPECT_EQ(read_input_file(file, size).bytes, bytes) << size;
    EXPECT_EQ(read_input_file(file, size).fault, "") << size;
    if (size > 0) {
      EXPECT_TRUE(read_input_file(file, size - 1).too_large) << size;
    }
  }
  const InputFile large = read_input_file(write("large", std::string(3 << 20, ' ')), 2 << 20);
  EXPECT_EQ(large.fault, "has more than 2 MiB, which is the limit");
  EXPECT_TRUE(large.bytes.empty());
}

TEST_F(InputFileTest, RefusesWhatHasNoEnd) {
  EXPECT_EQ(read_input_file("/dev/zero").fault, "is not a regular file but a device");
  EXPECT_EQ(read_input_file(pipe).fault, "is not a regular file but a pipe");
  EXPECT_EQ(read_input_file(folder).fault, "is not a regular file but a folder");
  EXPECT_TRUE(read_input_file(folder / "none").missing);
  EXPECT_EQ(check_input_file(pipe).fault, "is not a regular file but a pipe");
  // A pipe with a writer that says nothing: waiting would be for ever.
  const int writer = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(writer, 0);
  EXPECT_EQ(read_input_file(pipe).fault, "is not a regular file but a pipe");
  ::close(writer);
}

TEST_F(InputFileTest, TakesStreamsThatTheShellOpened) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  ::close(ends[1]);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(read_input_file(name, kMaxInputBytes, NamedBy::file).fault, "is not a regular file but a pipe");
  EXPECT_EQ(read_input_file(name).bytes, "text");
  ::close(ends[0]);
  // One without an end, up to the limit.
  const int zero = ::open("/dev/zero", O_RDONLY);
  EXPECT_TRUE(read_input_file("/dev/fd/" + std::to_string(zero), 1 << 20).too_large);
  ::close(zero);
}

TEST_F(InputFileTest, EveryReaderUsesTheGate) {
  for (const fs::path& file : {fs::path("/dev/zero"), pipe}) {
    EXPECT_FALSE(load_urdf(file)) << file;
    EXPECT_FALSE(load_mjcf(file)) << file;
    EXPECT_FALSE(read_mesh(file)) << file;
    EXPECT_THROW((void)read_last_snapshot(file), std::invalid_argument) << file;
    EXPECT_THROW(RecordReader{file}, std::invalid_argument) << file;
  }
  // Named inside of a file.
  const fs::path model = write("model.xml",
                               "<mujoco><asset><mesh name='m' file='pipe.stl'/></asset><worldbody><body>"
                               "<joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  EXPECT_FALSE(load_mjcf(model));
  EXPECT_FALSE(load_mjcf(write("asks.xml", "<mujoco><include file='pipe.stl'/></mujoco>")));
}

}  // namespace sinew::test
