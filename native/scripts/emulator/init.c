/* The first process of the emulated machine: runs /program, standard output to the second serial port, standard error to the first, the kernel's console.
 * Writes "exit N" as the last line of the second, N the program's exit code, and turns the machine off.
 *
 * The kernel gives every process AVX-512. Tile data of AMX it gives to those that ask, once, before the first tile instruction:
 *     syscall(SYS_arch_prctl, 0x1023, 18)    ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA; 0 if granted
 * /program has not asked; it does so itself if it uses tiles. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/io.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void open_results(void) {
    mknod("/results", S_IFCHR | 0600, makedev(4, 65)); /* ttyS1 */
    int port = open("/results", O_RDWR | O_NOCTTY);
    struct termios raw;
    tcgetattr(port, &raw);
    cfmakeraw(&raw);
    cfsetspeed(&raw, B115200);
    raw.c_cflag |= CLOCAL;
    tcsetattr(port, TCSANOW, &raw);
    dup2(port, 1);
}

int main(void) {
    open_results();
    int status = 0;
    pid_t program = fork();
    if (program == 0) {
        execl("/program", "/program", (char *)NULL);
        _exit(127);
    }
    waitpid(program, &status, 0);
    printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
    tcdrain(1);
    iopl(3);
    for (const char *letter = "Shutdown"; *letter; letter++) outb(*letter, 0x8900); /* Bochs's port for it */
    pause();
}
