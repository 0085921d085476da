/* Sorts by insertion. */
#include "sort.h"

void sort(int values[], int count)
{
  for (int i = 1; i < count; i++) {
    int value = values[i];
    int j = i - 1;
    while (j >= 0 && values[j] > value) {
      values[j + 1] = values[j];
      j--;
    }
    values[j + 1] = value;
  }
}
