#ifndef SORT_H
#define SORT_H

void sort(int values[], int count);

#endif
