/*
 * cache_pip - `glovebox cache pip`: wheels, fetched in a sandbox, into the user's cache.
 *
 * pip reads what an index says, so it runs in a sandbox: `glovebox run`, with a list of hosts and
 * an /output. It takes wheels only, so nothing of a package is executed even there. What is
 * collected is judged by name, kind and size (cli/wheel_store.h).
 *
 * Later sandboxes install what lies in the cache, so the image that fetches it has to be one that
 * others trust, as a warm Python's has.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/io.h"
#include "base/list.h"
#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "base/self_path.h"
#include "cli/cache.h"
#include "cli/command.h"
#include "cli/requirement.h"
#include "cli/wheel_store.h"
#include "host/image.h"
#include "spec/image_reference.h"
#include "spec/setting_words.h"

#define REQUIREMENTS_MAX (1u << 20)
#define BESIDE           ((uint64_t)256 << 20) /* memory of pip itself */

struct cache_pip {
	const char *image;
	bool trust_image;
	struct list requirements; /* files */
	struct list egress;
	struct list allow_private;
	struct list allow_host;
	struct list env;
	const char *ca;
	const char *from;
	uint64_t size;
	const char *timeout;
};

#define AT(field) offsetof(struct cache_pip, field)

/* clang-format off */
const struct setting cache_pip_settings[] = {
	{"requirement", 'r', "FILE", GROUP_PROGRAM, FACE_RUN, SETTING_LIST, AT(requirements), NULL, .min = 1, .repeated = true, .help = "a file of requirements, as pip has them"},
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_RUN, SETTING_TEXT, AT(image), "python", .min = 1, .help = "whose pip and Python the wheels are for"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, AT(trust_image), NULL, .help = "let an imported image choose what later sandboxes install"},
	{"from", 0, "DIR", GROUP_FILES, FACE_RUN, SETTING_TEXT, AT(from), NULL, .min = 1, .help = "take them from a directory of wheels, without a network"},
	{"size", 0, "SIZE", GROUP_FILES, FACE_RUN, SETTING_BYTES, AT(size), "1g", .min = 1 << 20, .max = 1ll << 40, .help = "of all wheels of this call together, at most"},
	{"egress", 0, "LIST", GROUP_NETWORK, FACE_RUN, SETTING_LIST, AT(egress), NULL, .min = 1, .words = "pypi", .repeated = true, .help = "what pip may reach, as in glovebox run"},
	{"allow-private", 0, "NAME,...", GROUP_NETWORK, FACE_RUN, SETTING_LIST, AT(allow_private), NULL, .min = 1, .repeated = true, .help = "as in glovebox run"},
	{"allow-host", 0, "PORT,...", GROUP_NETWORK, FACE_RUN, SETTING_LIST, AT(allow_host), NULL, .min = 1, .repeated = true, .help = "as in glovebox run"},
	{"ca", 0, "FILE", GROUP_NETWORK, FACE_RUN, SETTING_TEXT, AT(ca), NULL, .min = 1, .help = "as in glovebox run"},
	{"env", 'e', "KEY=VALUE", GROUP_PROGRAM, FACE_RUN, SETTING_LIST, AT(env), NULL, .min = 1, .repeated = true, .help = "as in glovebox run: PIP_INDEX_URL, for example"},
	{"timeout", 0, "DURATION", GROUP_LIMITS, FACE_RUN, SETTING_TEXT, AT(timeout), "1h", .min = 1, .help = "as in glovebox run"},
	SETTING_END,
};
/* clang-format on */

static void cache_pip_fini(struct cache_pip *c)
{
	list_fini(&c->requirements);
	list_fini(&c->egress);
	list_fini(&c->allow_private);
	list_fini(&c->allow_host);
	list_fini(&c->env);
}

/* Returns where the requirements begin in argv, or -1. */
static int cache_pip_read_words(int argc, char **argv, struct cache_pip *c, struct err *e)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{cache_pip_settings, c, NULL}},
					  .hint = ""};
	int at;

	setting_defaults(&settings.tables[0], NULL);
	if (setting_words(&settings, argc - 1, argv + 1, &at, e))
		return -1;
	if (at == argc - 1 && !c->requirements.count)
		return err_input(e, "cache pip needs a requirement, or -r FILE");
	if (c->from && (c->egress.count || c->allow_private.count || c->allow_host.count))
		return err_input(e, "--from needs no network: leave --egress and its like out");
	for (int i = at + 1; i < argc; i++) {
		if (requirement_check(argv[i], e))
			return -1;
	}
	if (!c->from && !c->egress.count)
		list_add(&c->egress, "pypi");
	return at + 1;
}

/* An imported image's pip is a stranger's, and could put its own files under the names of others.
 */
static int cache_pip_check_image(const struct cache_pip *c, struct err *e)
{
	auto_free char *reference = NULL;
	struct image image;
	bool good;

	if (image_reference(c->image, &reference, e) || image_open(reference, &image, e))
		return err_prefix(e, "--image");
	good = image.is_vouched || c->trust_image;
	image_close(&image);
	return good ? 0
		    : err_input(e,
				"%s was imported, and would choose what later sandboxes install: "
				"name an image that was built here, or give --trust-image",
				reference);
}

/* What the files say, for pip's standard input: they can be anywhere, and be called anything. */
static int cache_pip_open_requirements(const struct cache_pip *c, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_fd int fd = -1;

	for (size_t i = 0; i < c->requirements.count; i++) {
		const char *name = c->requirements.items[i];
		auto_buf struct buf said = {0};

		if (io_read_file(AT_FDCWD, name, REQUIREMENTS_MAX, &said, e))
			return -1;
		if (memchr(buf_string(&said), '\0', said.length))
			return err_input(e, "%.200s is no text", name);
		if (requirement_read(buf_string(&said), name, &text, e))
			return -1;
	}
	fd = memfd_create("requirements", MFD_CLOEXEC);
	if (fd < 0 || io_write_all(fd, text.data, text.length) || lseek(fd, 0, SEEK_SET))
		return err_sys(e, "keep the requirements");
	return take_fd(&fd);
}

static void cache_pip_add_each(struct list *words, const char *flag, const struct list *values)
{
	for (size_t i = 0; i < values->count; i++)
		list_addf(words, "--%s=%s", flag, values->items[i]);
}

static void cache_pip_add_run(const struct cache_pip *c, const char *stage, struct list *words)
{
	list_add(words, "glovebox");
	list_add(words, "run");
	list_add(words, "--warm=never");
	list_add(words, "--interactive");
	list_add(words, "--cache=pip"); /* what is there is not fetched again */
	list_addf(words, "--timeout=%s", c->timeout);
	list_addf(words, "--output=%s,size=%" PRIu64 ",files=%d", stage, c->size,
		  WHEEL_STORE_AT_ONCE);
	/* pip keeps each wheel in /tmp until it has them all. */
	list_addf(words, "--tmpfs=/tmp:size=%" PRIu64, c->size);
	list_addf(words, "--memory=%" PRIu64, 2 * c->size + BESIDE);
	cache_pip_add_each(words, "egress", &c->egress);
	cache_pip_add_each(words, "allow-private", &c->allow_private);
	cache_pip_add_each(words, "allow-host", &c->allow_host);
	cache_pip_add_each(words, "env", &c->env);
	if (c->ca)
		list_addf(words, "--ca=%s", c->ca);
	if (c->from)
		list_addf(words, "--workspace=%s", c->from);
	list_add(words, c->image);
}

static void cache_pip_add_program(const struct cache_pip *c, char **requirements,
				  struct list *words)
{
	static const char *const always[] = {"python3",
					     "-m",
					     "pip",
					     "download",
					     "--only-binary",
					     ":all:",
					     "--no-cache-dir",
					     "--disable-pip-version-check",
					     "--no-input",
					     "--progress-bar=off",
					     "--dest=/output",
					     NULL};

	for (const char *const *p = always; *p; p++)
		list_add(words, *p);
	if (c->from) {
		list_add(words, "--no-index");
		list_add(words, "--find-links=/data");
	}
	if (c->requirements.count)
		list_add(words, "--requirement=/dev/stdin");
	list_add(words, "--");
	for (; *requirements; requirements++)
		list_add(words, *requirements);
}

/* Runs: a child. What is printed is pip's, for people. */
__attribute__((noreturn)) static void cache_pip_become(const struct list *words, int input)
{
	auto_free char **argv = own_zeroed(words->count + 1, sizeof(*argv));
	char self[PATH_MAX];
	struct err e;

	memcpy(argv, words->items, words->count * sizeof(*argv));
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (self_path(self, &e) || dup2(input, STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(EXIT_OURS);
	execv(self, argv);
	_exit(EXIT_OURS);
}

/* An interrupt ends the child; we remove what it leaves. */
static int cache_pip_run(const struct list *words, int input, struct err *e)
{
	void (*interrupted)(int) = signal(SIGINT, SIG_IGN);
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		signal(SIGINT, interrupted);
		cache_pip_become(words, input);
	}
	if (pid > 0)
		status = process_exit_code(process_reap(pid, 0));
	signal(SIGINT, interrupted);
	return pid < 0 ? err_sys(e, "start a process") : status;
}

static void cache_pip_print(const char *what, const struct list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		printf("%-6s ", what);
		say_line(stdout, names->items[i]);
		putchar('\n');
	}
}

static int cache_pip_take(struct wheel_store *s, uint64_t most, struct err *e)
{
	auto_list struct list added = {0};
	auto_list struct list kept = {0};
	auto_list struct list refused = {0};
	int bad = wheel_store_take(s, most, &added, &kept, &refused, e);

	cache_pip_print("added", &added);
	cache_pip_print("kept", &kept);
	if (!bad && refused.count)
		return err_input(e,
				 "%zu files are no wheels, or too much, and were not taken: %.200s",
				 refused.count, refused.items[0]);
	return bad;
}

/* Returns the status of the run, or -1. */
static int cache_pip_fill(const struct cache_pip *c, char **requirements, struct err *e)
{
	auto_list struct list words = {0};
	auto_fd int input = -1;
	struct wheel_store s = {.fd = -1, .wheels_fd = -1, .lock_fd = -1, .stage_fd = -1};
	int status = -1;

	if (cache_pip_check_image(c, e))
		return -1;
	input = cache_pip_open_requirements(c, e);
	if (input >= 0 && !wheel_store_open(&s, true, e) && !wheel_store_begin(&s, e)) {
		cache_pip_add_run(c, s.stage, &words);
		cache_pip_add_program(c, requirements, &words);
		status = cache_pip_run(&words, input, e);
	}
	if (status == 0)
		status = cache_pip_take(&s, c->size, e);
	wheel_store_close(&s);
	return status;
}

int cache_pip(int argc, char **argv)
{
	struct cache_pip c = {0};
	struct err e;
	int at = cache_pip_read_words(argc, argv, &c, &e);
	int status = at < 0 ? -1 : cache_pip_fill(&c, argv + at, &e);

	cache_pip_fini(&c);
	return status < 0 ? fail_with_help(&e, "cache pip") : status;
}
