//! The small headers that come with the reader, for programs that include those of a C library.
//!
//! They declare what is known to the reader and what programs often name without using it. A function that
//! is declared and has no body returns any value, so that a missing body is never silently a right one.

/// The text of a header that comes with the reader.
pub(super) fn text(name: &str) -> Option<&'static str> {
    let known = HEADERS.iter().find(|(known, _)| *known == name);
    known.map(|(_, text)| *text)
}

/// What is not supported and a header stands for, by its name.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    let known = REFUSED.iter().find(|(known, _)| *known == name);
    known.map(|(_, what)| *what)
}

const REFUSED: [(&str, &str); 7] = [
    ("pthread.h", "threads (`pthread.h`)"),
    ("threads.h", "threads (`threads.h`)"),
    (
        "stdatomic.h",
        "atomic operations of threads (`stdatomic.h`)",
    ),
    ("setjmp.h", "a long jump (`setjmp.h`)"),
    ("signal.h", "signals (`signal.h`)"),
    ("complex.h", "complex arithmetic (`complex.h`)"),
    ("fenv.h", "floating point (`fenv.h`)"),
];

/// Their names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(name, _)| *name)
}

const HEADERS: &[(&str, &str)] = &[
    ("assert.h", ASSERT),
    ("ctype.h", CTYPE),
    ("errno.h", ERRNO),
    ("float.h", FLOAT),
    ("inttypes.h", INTTYPES),
    ("iso646.h", ISO646),
    ("limits.h", LIMITS),
    ("malloc.h", "#include <stdlib.h>\n"),
    ("math.h", MATH),
    ("memory.h", "#include <string.h>\n"),
    ("stdalign.h", STDALIGN),
    ("stdarg.h", STDARG),
    ("stdbool.h", STDBOOL),
    ("stddef.h", STDDEF),
    ("stdint.h", STDINT),
    ("stdio.h", STDIO),
    ("stdlib.h", STDLIB),
    (
        "stdnoreturn.h",
        "#pragma once\n#define noreturn _Noreturn\n",
    ),
    ("string.h", STRING),
    ("strings.h", "#include <string.h>\n"),
    ("sys/types.h", SYS_TYPES),
    ("time.h", TIME),
    ("unistd.h", UNISTD),
];

const ASSERT: &str = "\
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#endif
#ifndef PROOFMARK_ASSERT_H
#define PROOFMARK_ASSERT_H
#define static_assert _Static_assert
#endif
";

const CTYPE: &str = "\
#pragma once
int isalnum(int c);
int isalpha(int c);
int isblank(int c);
int iscntrl(int c);
int isdigit(int c);
int isgraph(int c);
int islower(int c);
int isprint(int c);
int ispunct(int c);
int isspace(int c);
int isupper(int c);
int isxdigit(int c);
int tolower(int c);
int toupper(int c);
";

const ERRNO: &str = "\
#pragma once
extern int errno;
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define ENOSPC 28
#define EDOM 33
#define ERANGE 34
";

const FLOAT: &str = "\
#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define FLT_DIG 6
";

const INTTYPES: &str = "\
#pragma once
#include <stdint.h>
#define PRId8 \"d\"
#define PRId16 \"d\"
#define PRId32 \"d\"
#define PRId64 \"ld\"
#define PRIi32 \"i\"
#define PRIi64 \"li\"
#define PRIu8 \"u\"
#define PRIu16 \"u\"
#define PRIu32 \"u\"
#define PRIu64 \"lu\"
#define PRIx8 \"x\"
#define PRIx16 \"x\"
#define PRIx32 \"x\"
#define PRIx64 \"lx\"
#define PRIX32 \"X\"
#define PRIX64 \"lX\"
#define PRIuPTR \"lu\"
#define PRIxPTR \"lx\"
";

const ISO646: &str = "\
#pragma once
#define and &&
#define and_eq &=
#define bitand &
#define bitor |
#define compl ~
#define not !
#define not_eq !=
#define or ||
#define or_eq |=
#define xor ^
#define xor_eq ^=
";

const LIMITS: &str = "\
#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define MB_LEN_MAX 16
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647-1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L-1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL-1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define PATH_MAX 4096
";

const MATH: &str = "\
#pragma once
double acos(double x);
double asin(double x);
double atan(double x);
double atan2(double y, double x);
double ceil(double x);
double cos(double x);
double exp(double x);
double fabs(double x);
double floor(double x);
double fmod(double x, double y);
double log(double x);
double log10(double x);
double pow(double x, double y);
double sin(double x);
double sqrt(double x);
double tan(double x);
";

const STDALIGN: &str = "\
#pragma once
#define alignas _Alignas
#define alignof _Alignof
";

const STDARG: &str = "\
#pragma once
typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_end(list) __builtin_va_end(list)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
";

const STDBOOL: &str = "\
#pragma once
#define bool _Bool
#define true 1
#define false 0
#define __bool_true_false_are_defined 1
";

const STDDEF: &str = "\
#pragma once
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
#ifndef NULL
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
";

const STDINT: &str = "\
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef signed char int_least8_t;
typedef short int_least16_t;
typedef int int_least32_t;
typedef long int_least64_t;
typedef unsigned char uint_least8_t;
typedef unsigned short uint_least16_t;
typedef unsigned int uint_least32_t;
typedef unsigned long uint_least64_t;
typedef signed char int_fast8_t;
typedef long int_fast16_t;
typedef long int_fast32_t;
typedef long int_fast64_t;
typedef unsigned char uint_fast8_t;
typedef unsigned long uint_fast16_t;
typedef unsigned long uint_fast32_t;
typedef unsigned long uint_fast64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647-1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807L-1L)
#define INT64_MAX 9223372036854775807L
#define UINT64_MAX 18446744073709551615UL
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#define INT8_C(value) value
#define INT16_C(value) value
#define INT32_C(value) value
#define INT64_C(value) value ## L
#define UINT8_C(value) value
#define UINT16_C(value) value
#define UINT32_C(value) value ## U
#define UINT64_C(value) value ## UL
#define INTMAX_C(value) value ## L
#define UINTMAX_C(value) value ## UL
";

const STDIO: &str = "\
#pragma once
#include <stddef.h>
typedef struct __proofmark_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define EOF (-1)
#define BUFSIZ 8192
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
int scanf(const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int sscanf(const char *from, const char *format, ...);
int puts(const char *text);
int fputs(const char *text, FILE *stream);
int putchar(int c);
int putc(int c, FILE *stream);
int fputc(int c, FILE *stream);
int getchar(void);
int getc(FILE *stream);
int fgetc(FILE *stream);
char *fgets(char *to, int size, FILE *stream);
int ungetc(int c, FILE *stream);
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *stream);
int fflush(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
size_t fread(void *to, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
void rewind(FILE *stream);
void perror(const char *text);
";

const STDLIB: &str = "\
#pragma once
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *pointer);
void abort(void);
void exit(int status);
void _Exit(int status);
int atexit(void (*function)(void));
int abs(int x);
long labs(long x);
long long llabs(long long x);
int rand(void);
void srand(unsigned int seed);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
double strtod(const char *text, char **end);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
char *getenv(const char *name);
int system(const char *command);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size,
  int (*compare)(const void *, const void *));
void *alloca(size_t size);
";

const STRING: &str = "\
#pragma once
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *one, const void *other, size_t count);
void *memchr(const void *in, int byte, size_t count);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *one, const char *other);
int strncmp(const char *one, const char *other, size_t most);
int strcasecmp(const char *one, const char *other);
int strncasecmp(const char *one, const char *other, size_t most);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t most);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t most);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);
char *strpbrk(const char *text, const char *any);
size_t strspn(const char *text, const char *any);
size_t strcspn(const char *text, const char *any);
char *strtok(char *text, const char *separators);
char *strdup(const char *text);
char *strerror(int number);
void bzero(void *to, size_t count);
";

const SYS_TYPES: &str = "\
#pragma once
#include <stddef.h>
#include <stdint.h>
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int mode_t;
typedef long time_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
";

const TIME: &str = "\
#pragma once
#include <sys/types.h>
typedef long clock_t;
#define CLOCKS_PER_SEC 1000000L
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
time_t time(time_t *where);
clock_t clock(void);
double difftime(time_t one, time_t other);
";

const UNISTD: &str = "\
#pragma once
#include <sys/types.h>
ssize_t read(int file, void *to, size_t count);
ssize_t write(int file, const void *from, size_t count);
int close(int file);
unsigned int sleep(unsigned int seconds);
int usleep(unsigned int microseconds);
pid_t getpid(void);
void _exit(int status);
";
