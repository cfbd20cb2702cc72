#include <lull_marks.h>
#include <unistd.h>

int main(void) {
  lull_mark("ready");
  lull_interval_begin("load", 1);
  usleep(100000);
  lull_interval_end("load", 1);
  lull_mark("background");
  return 0;
}
