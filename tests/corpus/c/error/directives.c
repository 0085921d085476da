#include <pthread.h> /* threads (`pthread.h`) is not supported */
#include "missing.h" /* there is no file missing.h */
#define F(x) x
#if 1 / 0 /* divides by zero */
#endif
#else /* belongs to no condition */
#error stop here /* #error stop here */
int a = F(1, 2); /* takes 1 arguments */
#unknown /* there is no directive */
int main(void) { return 0; }
