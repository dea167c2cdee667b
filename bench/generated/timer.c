/* bench/generated/timer.c - times functions of both libraries from loops in C; race.py loads it
 * ours: function of q, x, y, out, or of q and out. theirs: CasADi's function of lists of pointers. All states lie one
 * after the other. Processor time of one call in microseconds, the least of `repeats`. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

typedef void (*ours3)(const double *, const double *, const double *, double *);
typedef void (*ours1)(const double *, double *);
typedef int (*theirs)(const double **, double **, long long *, double *, int);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

double time_ours(void *function, int inputs, int states, int nq, int nv, const double *q, const double *x,
                 const double *y, double *out, int passes, int repeats) {
  double best = 1e30;
  for (int r = 0; r < repeats; ++r) {
    const double start = now();
    for (int p = 0; p < passes; ++p)
      for (int k = 0; k < states; ++k) {
        if (inputs == 3)
          ((ours3)function)(q + k * nq, x + k * nv, y + k * nv, out);
        else
          ((ours1)function)(q + k * nq, out);
        __asm__ volatile("" : : : "memory");
      }
    const double one = (now() - start) / ((double)passes * states);
    if (one < best) best = one;
  }
  return best;
}

double time_theirs(void *function, int inputs, int states, int nq, int nv, const double *q, const double *x,
                   const double *y, double *out, long long *iw, double *w, int passes, int repeats) {
  double best = 1e30;
  (void)inputs;
  for (int r = 0; r < repeats; ++r) {
    const double start = now();
    for (int p = 0; p < passes; ++p)
      for (int k = 0; k < states; ++k) {
        const double *arg[8] = {q + k * nq, x + k * nv, y + k * nv};
        double *res[4] = {out};
        ((theirs)function)(arg, res, iw, w, 0);
        __asm__ volatile("" : : : "memory");
      }
    const double one = (now() - start) / ((double)passes * states);
    if (one < best) best = one;
  }
  return best;
}
