/* Preloaded into the Python that runs machine.py.
 *
 * The library always makes its default CPU, a Cannon Lake. The function that does so can be replaced like every exported one: here it makes a
 * Sapphire Rapids, which has AVX-512 with VNNI and BF16. And a library built against glibc 2.38 asks for two functions that older ones have under
 * other names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *_Z23create_corei3_cnl_cpuidP8BX_CPU_C(void *cpu);
void *_Z23create_corei3_cnl_cpuidP8BX_CPU_C(void *cpu) {
    void *(*make)(void *) = (void *(*)(void *))dlsym(RTLD_DEFAULT, "_Z28create_sapphire_rapids_cpuidP8BX_CPU_C");
    if (!make) {
        fputs("this version of bochscpu has no Sapphire Rapids\n", stderr);
        exit(77);
    }
    return make(cpu);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...);
int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vsscanf(text, format, list);
    va_end(list);
    return count;
}
