/*
 * driver - a main for the harnesses where there is no libFuzzer.
 *
 *   fuzz_x [-n ROUNDS] [-r SEED] FILE|DIRECTORY...
 *
 * Runs every file as it is, then ROUNDS mutations of them. The same SEED gives the same inputs. An
 * input that ends the program is left as ./crash-SEED-ROUND, to be run again as a FILE.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEEDS       256
#define INPUT_BYTES 65536

static struct {
	uint8_t *bytes;
	size_t size;
} seeds[SEEDS];
static size_t seed_count;

static uint8_t input[INPUT_BYTES];
static size_t input_size;
static uint64_t number = 1; /* of the random sequence */
static unsigned long current;
static uint64_t begun;

/* Of the sanitizer's run-time, when there is one. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static uint32_t next_random(void)
{
	begun = begun * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(begun >> 33);
}

static size_t below(size_t bound)
{
	return bound ? next_random() % bound : 0;
}

static void keep_input(void)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "crash-%llu-%lu", (unsigned long long)number, current);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, input, input_size) != (ssize_t)input_size)
		return;
	close(fd);
	fprintf(stderr, "input kept as %s\n", name);
}

static void on_signal(int signal_number)
{
	fprintf(stderr, "signal %d in round %lu\n", signal_number, current);
	keep_input();
	_exit(1);
}

static void add_seed(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || seed_count == SEEDS) {
		fprintf(stderr, "%s: cannot be used\n", path);
		exit(2);
	}
	n = read(fd, input, sizeof(input));
	close(fd);
	if (n < 0)
		exit(2);
	seeds[seed_count].bytes = malloc((size_t)n + 1);
	if (!seeds[seed_count].bytes)
		abort();
	memcpy(seeds[seed_count].bytes, input, (size_t)n);
	seeds[seed_count++].size = (size_t)n;
}

static void add_seeds(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		add_seed(path);
		return;
	}
	while ((entry = readdir(dir))) {
		char file[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		add_seed(file);
	}
	closedir(dir);
}

/* Put `length` bytes at `at`, over `remove` bytes that are there. */
static void replace(size_t at, size_t remove, const uint8_t *bytes, size_t length)
{
	if (input_size - remove + length > sizeof(input))
		return;
	memmove(input + at + length, input + at + remove, input_size - at - remove);
	memcpy(input + at, bytes, length);
	input_size = input_size - remove + length;
}

static void mutate(void)
{
	/* What parsers trip over. */
	static const char *const words[] = {
		"",
		"0",
		"-1",
		"99999999999999999999",
		"18446744073709551615",
		"9223372036854775808",
		"\"",
		"\\",
		"\\u0000",
		"\\ud800",
		"{",
		"}",
		"[[[[[[[[",
		"]",
		":",
		",",
		"=",
		"/",
		"..",
		"//",
		"-",
		"--",
		"\n",
		"\r\n",
		"\xff",
		"\xc3",
		"\xed\xa0\x80",
		"\xf0\x9f\x98\x80",
		"%s",
		"null",
		"true",
		"1e999",
		"0.0001",
		"\xef\xbb\xbf",
		"@",
		" ",
		"\t",
		"#",
		"0x",
		".",
	};
	uint8_t byte = (uint8_t)next_random();
	size_t at = below(input_size + 1);
	size_t length = below(input_size - at + 1);
	const char *word = words[below(sizeof(words) / sizeof(words[0]))];
	size_t other = below(seed_count);
	size_t from = below(seeds[other].size + 1);

	switch (below(7)) {
	case 0: /* one byte, anything */
		if (at < input_size)
			input[at] = byte;
		break;
	case 1: /* one bit */
		if (at < input_size)
			input[at] ^= (uint8_t)(1 << (byte & 7));
		break;
	case 2: /* cut out a little */
		replace(at, length < 16 ? length : 16, input, 0);
		break;
	case 3: /* cut off the rest */
		input_size = at;
		break;
	case 4:
		replace(at, 0, (const uint8_t *)word, strlen(word));
		break;
	case 5: /* a part of another seed */
		length = below(seeds[other].size - from + 1);
		replace(at, 0, seeds[other].bytes + from, length);
		break;
	default: { /* a part twice */
		static uint8_t part[64];

		length = length < sizeof(part) ? length : sizeof(part);
		memcpy(part, input + at, length);
		replace(at, 0, part, length);
	}
	}
}

static void run_one(void)
{
	/* A block of its own size: what reads beyond it is seen. */
	uint8_t *copy = malloc(input_size ? input_size : 1);

	if (!copy)
		abort();
	memcpy(copy, input, input_size);
	LLVMFuzzerTestOneInput(copy, input_size);
	free(copy);
}

static void use_seed(size_t i)
{
	memcpy(input, seeds[i].bytes, seeds[i].size);
	input_size = seeds[i].size;
}

int main(int argc, char **argv)
{
	unsigned long rounds = 2000;
	int option;

	while ((option = getopt(argc, argv, "n:r:")) != -1) {
		if (option == 'n')
			rounds = strtoul(optarg, NULL, 10);
		else if (option == 'r')
			number = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	while (optind < argc)
		add_seeds(argv[optind++]);
	if (!seed_count)
		seeds[seed_count++].bytes = calloc(1, 1);
	signal(SIGABRT, on_signal);
	signal(SIGALRM, on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep_input);
	for (size_t i = 0; i < seed_count; i++) {
		use_seed(i);
		run_one();
	}
	for (current = 1; current <= rounds; current++) {
		begun = number << 32 ^ current * 0x9e3779b97f4a7c15ull;
		use_seed(below(seed_count));
		for (size_t times = 1 + below(8); times; times--)
			mutate();
		alarm(10); /* a parser that takes this long hangs */
		run_one();
	}
	printf("%s: %zu seeds, %lu mutations\n", argv[0], seed_count, rounds);
	for (size_t i = 0; i < seed_count; i++)
		free(seeds[i].bytes);
	return 0;
}
