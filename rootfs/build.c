/*
 * build - `glovebox image build`: a Debian root from a recipe.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/say.h"
#include "command.h"
#include "debian.h"
#include "extract.h"
#include "finish.h"
#include "host/image.h"
#include "meta.h"
#include "recipe.h"
#include "sources.h"
#include "store.h"

struct options {
	const char *what;
	const char *suite;
	const char *tag;
	struct list apt;
	struct list pip;
	struct list mirrors;
	bool allow_sdist;
};

static void options_fini(struct options *o)
{
	list_fini(&o->apt);
	list_fini(&o->pip);
	list_fini(&o->mirrors);
}
#define auto_options __attribute__((cleanup(options_fini)))

/* Recipes and hooks: installed beside bin/, or the checkout this program was built in. */
static int find_share(char out[PATH_MAX], struct err *e)
{
	static const char *const places[] = {"../share/glovebox", "../../rootfs",
					     "../../../rootfs"};
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_sys(e, "read /proc/self/exe");
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		auto_free char *hooks = NULL;
		auto_free char *share = NULL;

		if (asprintf(&share, "%s/%s", self, places[i]) < 0 ||
		    asprintf(&hooks, "%s/hooks/finish.sh", share) < 0)
			abort();
		if (!access(hooks, R_OK) && realpath(share, out))
			return 0;
	}
	return err_input(e, "no recipes beside %.200s: run it from build/bin or after make install",
			 self);
}

/* The recipe with what the command line adds to it. */
static int load_recipe(const struct options *o, const char *share, struct recipe *r, struct err *e)
{
	auto_free char *directory = NULL;

	if (asprintf(&directory, "%s/recipes", share) < 0)
		abort();
	if (recipe_load(r, o->what, directory, e))
		return -1;
	for (size_t i = 0; i < o->apt.count; i++) {
		if (recipe_add_apt(r, o->apt.items[i], e))
			return err_prefix(e, "--apt");
	}
	for (size_t i = 0; i < o->pip.count; i++) {
		if (recipe_add_pip(r, o->pip.items[i], e))
			return err_prefix(e, "--pip");
	}
	if (r->pip.count)
		return recipe_add_apt(r, "python3-pip", e);
	return 0;
}

static int choose_suite(const struct options *o, const struct recipe *r, char **out, struct err *e)
{
	if (o->suite) {
		*out = own_strdup(o->suite);
		return recipe_check_suite(o->suite, e) ? err_prefix(e, "--suite") : 0;
	}
	if (r->suite) {
		*out = own_strdup(r->suite);
		return 0;
	}
	return sources_host_suite(out, e);
}

static void describe(const struct recipe *r, const char *suite, struct meta *meta)
{
	for (size_t i = 0; i < r->env.count; i++)
		list_add(&meta->env, r->env.items[i]);
	for (size_t i = 0; i < r->preload.count; i++)
		list_add(&meta->preload, r->preload.items[i]);
	list_add(&meta->cmd, "python3");
	meta->user = own_strdup("1000:1000");
	meta->workdir = own_strdup("");
	meta->suite = own_strdup(suite);
	meta->recipe = own_strdup(r->name);
}

/* Unpack the stream of the new root as it comes. */
static int receive(const struct debian_request *q, struct work *work, struct err *e)
{
	auto_reader struct reader *r = NULL;
	struct err theirs = {0};
	struct debian child;
	struct extract x;
	int status;

	if (debian_start(q, &child, e))
		return -1;
	extract_init(&x, work->root_fd, work->trash_fd, EXTRACT_BYTES_DEFAULT);
	r = reader_open(child.last.out_fd, "the new root", e);
	status = r ? extract_archive(&x, r, EXTRACT_ALL, e) : -1;
	extract_report(&x);
	extract_fini(&x);
	/* If both failed, its failure was first: a stream that ends early is only a symptom. */
	if (debian_finish(&child, status != 0, &theirs) && e->number != ENOSPC) {
		*e = theirs;
		return -1;
	}
	return status;
}

static void say_source(const char *mirror)
{
	fputs("glovebox: source ", stderr);
	say_line(stderr, mirror);
	fputc('\n', stderr);
}

static int build(const struct debian_request *q, const char *reference, struct err *e)
{
	auto_store struct store store = {.fd = -1, .tmp_fd = -1};
	auto_work struct work work = {.fd = -1};
	auto_meta struct meta meta = {0};

	if (store_open(&store, e) || work_start(&store, &work, e))
		return -1;
	fprintf(stderr, "glovebox: building %s from Debian packages (%s), this takes minutes\n",
		reference, q->suite);
	for (size_t i = 0; i < q->mirrors->count; i++)
		say_source(q->mirrors->items[i]);
	describe(q->recipe, q->suite, &meta);
	if (receive(q, &work, e))
		return -1;
	/* The stream comes without it; who mounts one needs the place. */
	if (mkdirat(work.root_fd, "dev", 0755) && errno != EEXIST)
		return err_sys(e, "make dev");
	fprintf(stderr, "glovebox: hashing\n");
	return image_finish(&work, &meta, reference, e);
}

static int prepare_and_build(struct options *o, struct err *e)
{
	auto_recipe struct recipe recipe = {0};
	auto_free char *reference = NULL;
	auto_free char *suite = NULL;
	char share[PATH_MAX];
	struct debian_request q = {
		.recipe = &recipe, .share = share, .allow_sdist = o->allow_sdist};

	if (find_share(share, e) || load_recipe(o, share, &recipe, e) ||
	    image_reference(o->tag ? o->tag : recipe.name, &reference, e) ||
	    choose_suite(o, &recipe, &suite, e))
		return -1;
	if (!strncmp(reference, "host:", 5))
		return err_input(e, "\"host\" is the built-in image: choose another name, --tag");
	if (debian_check(e))
		return -1;
	if (!o->mirrors.count)
		sources_collect(suite, &o->mirrors);
	q.suite = suite;
	q.mirrors = &o->mirrors;
	return build(&q, reference, e);
}

static int add_mirror(struct options *o, const char *text, struct err *e)
{
	if (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0 &&
	    strncmp(text, "deb ", 4) != 0)
		return err_input(
			e,
			"--mirror %.200s: neither http(s)://... nor a line \"deb URI SUITE "
			"main\"",
			text);
	list_add(&o->mirrors, text);
	return 0;
}

static int set_option(struct options *o, int option, const char *value, struct err *e)
{
	switch (option) {
	case 'a':
		list_add(&o->apt, value);
		return 0;
	case 'p':
		list_add(&o->pip, value);
		return 0;
	case 's':
		o->suite = value;
		return 0;
	case 't':
		o->tag = value;
		return 0;
	case 'm':
		return add_mirror(o, value, e);
	default:
		o->allow_sdist = true;
		return 0;
	}
}

static int run(int argc, char **argv, struct err *e)
{
	static const struct option table[] = {
		{"allow-sdist",      no_argument, NULL, 'A'},
		{"apt",              required_argument, NULL, 'a'},
		{"mirror",                  required_argument, NULL, 'm'},
		{"pip",required_argument, NULL, 'p'},
		{"suite",               required_argument, NULL, 's'},
		{"tag",           required_argument, NULL, 't'},
		{0             },
	};
	auto_options struct options o = {.what = "python"};
	int option;

	while ((option = option_next(argc, argv, table, e)) > 0) {
		if (set_option(&o, option, optarg, e))
			return -1;
	}
	if (option < 0 || arguments_expect(&command_build, argc - optind, 0, 1, e))
		return -1;
	if (optind < argc)
		o.what = argv[optind];
	return prepare_and_build(&o, e);
}

const struct command command_build = {
	.name = "build",
	.usage = "[OPTION...] [NAME|RECIPE.json]",
	.summary = "Build an image from Debian packages",
	.help = "  NAME            a shipped recipe: python (default) or slim\n"
		"  RECIPE.json     a recipe of your own\n"
		"  --suite SUITE   Debian release: bookworm, trixie, ...; default: this machine's\n"
		"  --apt PKG       add a Debian package (repeatable)\n"
		"  --pip PKG       add a package from PyPI, wheels only (repeatable)\n"
		"  --allow-sdist   let pip run a source package's own build code\n"
		"  --tag NAME:TAG  name of the image; default: the recipe's\n"
		"  --mirror URL    instead of this machine's apt mirrors (repeatable; also a line\n"
		"                  \"deb URI SUITE main\")\n\n"
		"Root or not: an ordinary user needs uidmap and a range in /etc/subuid.\n"
		"PIP_INDEX_URL, PIP_FIND_LINKS and PIP_CERT of the environment reach pip.\n",
	.run = run,
};
