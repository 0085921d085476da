/* What is sorted is in order. That it is made of the same numbers is not checked: mutants tell. */
#include <assert.h>
#include <stdio.h>
#include "sort.h"

#ifndef SIZE
#define SIZE 3
#endif

int nondet_int(void);

int main(void)
{
  int values[SIZE];
  int count = nondet_int();
  __CPROVER_assume(count > 0 && count <= SIZE);
  for (int i = 0; i < count; i++) {
    values[i] = nondet_int();
    printf("LOG: given[%d] = %d\n", i, values[i]);
  }
  sort(values, count);
  for (int i = 1; i < count; i++) {
    printf("LOG: sorted[%d] = %d\n", i, values[i]);
    assert(values[i - 1] <= values[i]);
  }
  return 0;
}
