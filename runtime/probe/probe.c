/*
 * probe - the entry point, and the choice of a mode.
 */
#include "probe/probe.h"

#include <fcntl.h>
#include <signal.h>

#include "inside/sys.h"

#define LINE_BYTES 512

static char **arguments;
static char **environment;

struct line {
	char text[LINE_BYTES];
	size_t length;
};

static void probe_put(struct line *l, const char *text)
{
	while (*text && l->length < LINE_BYTES - 1)
		l->text[l->length++] = *text++;
}

static void probe_put_number(struct line *l, long number)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;
	unsigned long rest = number < 0 ? 0ul - (unsigned long)number : (unsigned long)number;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	probe_put(l, number < 0 ? "-" : "");
	probe_put(l, &digits[at]);
}

bool probe_begins(const char *text, const char *start)
{
	while (*start && *text == *start) {
		text++;
		start++;
	}
	return !*start;
}

bool probe_same(const char *a, const char *b)
{
	return probe_begins(a, b) && sys_strlen(a) == sys_strlen(b);
}

const char *probe_option(const char *name)
{
	size_t length = sys_strlen(name);

	for (char **word = arguments; *word; word++) {
		if (probe_begins(*word, name) && (*word)[length] == '=')
			return *word + length + 1;
	}
	return NULL;
}

long probe_digits(const char **text)
{
	long number = 0;

	while (**text >= '0' && **text <= '9')
		number = number * 10 + (*(*text)++ - '0');
	return number;
}

long probe_number(const char *name)
{
	const char *text = probe_option(name);

	return text ? probe_digits(&text) : 0;
}

char **probe_environment(void)
{
	return environment;
}

long probe_read(const char *path, char *out, size_t size)
{
	long fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long length = 0;
	long n = fd;

	while (n >= 0 && length + 1 < (long)size) {
		n = sys_read((int)fd, out + length, size - 1 - (size_t)length);
		if (n == 0)
			break;
		length += n > 0 ? n : 0;
	}
	out[length] = '\0';
	if (fd >= 0)
		sys_close((int)fd);
	return n < 0 ? n : length;
}

void probe_say(const char *layer, const char *what, bool held, const char *saw, long number)
{
	struct line l;

	l.length = 0;
	probe_put(&l, layer);
	probe_put(&l, "\t");
	probe_put(&l, what);
	probe_put(&l, held ? "\theld\t" : "\tbroken\t");
	probe_put(&l, saw);
	if (number != PROBE_NO_NUMBER) {
		probe_put(&l, *saw ? " " : "");
		probe_put_number(&l, number);
	}
	l.text[l.length++] = '\n';
	sys_write(1, l.text, l.length);
}

void probe_must_fail(const char *layer, const char *what, long result)
{
	if (result < 0)
		probe_say(layer, what, true, "errno", -result);
	else
		probe_say(layer, what, false, "succeeded", PROBE_NO_NUMBER);
}

long probe_in_child(long (*body)(long argument), long argument)
{
	int status = 0;
	long pid = sys5(__NR_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0)
		sys_exit((int)body(argument));
	if (pid > 0)
		pid = sys4(__NR_wait4, pid, &status, 0, NULL);
	return pid < 0 ? pid : status;
}

static void probe_check(void)
{
	inherited_check();
	walls_check();
	calls_check();
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{"check",       probe_check             },
	{"calls",       calls_tell_own          },
	{"memory",      load_memory             },
	{"processes",   load_processes          },
	{"cpu",         load_cpu                },
	{"output",      load_output             },
	{"wait",        load_wait               },
	{"compare",     walls_compare_namespaces},
	{"terminal",    inherited_terminal      },
	{"sockets",     load_sockets            },
	{"socketcount", load_socket_count       },
};

__attribute__((noreturn, used)) void probe_main(long *stack);

void probe_main(long *stack)
{
	const char *mode;

	arguments = (char **)&stack[1];
	environment = &arguments[stack[0] + 1];
	mode = probe_option("mode");
	for (size_t i = 0; mode && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!probe_same(mode, modes[i].name))
			continue;
		sys_write(1, "begun\n", 6);
		modes[i].run();
		sys_write(1, "end\n", 4);
		sys_exit(0);
	}
	sys_exit(2);
}

/* The kernel starts with the stack pointer at argc; a function expects it aligned to 16. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\tmov %rsp, %rdi\n\tcall probe_main\n");
#else
__asm__(".globl _start\n_start:\n\tmov x0, sp\n\tbl probe_main\n");
#endif
