/*
 * watch_basis - what a selftest was made on.
 */
#include "cli/watch_basis.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/names.h"
#include "base/own.h"
#include "cli/doctor.h"
#include "warm/guest.h"

#define POLICY_FILES "/etc/glovebox/policy.d"
#define MOST_BYTES   (64u << 20) /* of a file */

enum { MOST_FILES = 1000 };

static const char *const names[BASIS_ITEMS] = {
	[BASIS_KERNEL] = "kernel",         [BASIS_BUILD] = "build",
	[BASIS_PARAMETERS] = "parameters", [BASIS_GLOVEBOX] = "glovebox",
	[BASIS_PROGRAM] = "program",       [BASIS_POLICY] = "policy",
	[BASIS_LAYERS] = "layers",         [BASIS_HOST] = "host",
	[BASIS_ASKED] = "asked",
};

void watch_basis_kernel(char **release, char **build)
{
	struct utsname uts = {0};

	uname(&uts);
	*release = own_strdup(uts.release);
	*build = own_printf("%s %s", uts.version, uts.machine);
}

/* All but those that name the kernel's own files, which are in other places with each kernel. */
static char *watch_basis_parameters(void)
{
	auto_buf struct buf line = {0};
	struct buf out = {0};
	struct err ignored;
	char *rest = NULL;

	if (io_read_file(AT_FDCWD, "/proc/cmdline", 1 << 16, &line, &ignored) || !line.length)
		return own_strdup("");
	for (char *word = strtok_r(line.data, " \n", &rest); word;
	     word = strtok_r(NULL, " \n", &rest)) {
		if (strncmp(word, "BOOT_IMAGE=", 11) != 0 && strncmp(word, "initrd=", 7) != 0)
			buf_printf(&out, "%s%s", out.length ? " " : "", word);
	}
	return out.length ? buf_take(&out) : own_strdup("");
}

static void watch_basis_digest_file(struct digest *d, int dir, const char *name)
{
	auto_buf struct buf content = {0};
	struct err ignored;
	struct stat st;

	/* Not a FIFO, which would wait. */
	if (fstatat(dir, name, &st, 0) || !S_ISREG(st.st_mode) ||
	    io_read_file(dir, name, MOST_BYTES, &content, &ignored))
		return;
	digest_add(d, name, strlen(name) + 1);
	digest_add(d, &content.length, sizeof(content.length));
	digest_add(d, content.data, content.length);
}

static void watch_basis_digest_directory(struct digest *d, const char *path)
{
	auto_fd int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list files = {0};

	if (dir < 0 || names_read(dir, MOST_FILES, &files) < 0)
		return;
	for (size_t i = 0; i < files.count; i++)
		watch_basis_digest_file(d, dir, files.items[i]);
}

static char *watch_basis_digested(struct digest *d)
{
	char hex[DIGEST_HEX];

	digest_end(d, hex);
	return own_strdup(hex);
}

static char *watch_basis_program(void)
{
	struct digest *d = digest_begin();
	char guest[PATH_MAX];
	struct err ignored;

	watch_basis_digest_file(d, AT_FDCWD, "/proc/self/exe");
	if (!guest_find(guest, &ignored) && *guest)
		watch_basis_digest_directory(d, guest);
	return watch_basis_digested(d);
}

static char *watch_basis_policy(void)
{
	struct digest *d = digest_begin();

	watch_basis_digest_directory(d, POLICY_FILES);
	return watch_basis_digested(d);
}

static char *watch_basis_layers(void)
{
	struct buf out = {0};

	for (const struct layer *l = layers; l->name; l++)
		buf_printf(&out, "%s%s", out.length ? " " : "", l->name);
	return buf_take(&out);
}

/* @said  with what is said, not just whether it is there */
static void watch_basis_add_rows(const struct doctor_row *rows, bool said, struct buf *out)
{
	static const char *const states[] = {"ok", "note", "no"};

	for (; rows->name; rows++) {
		struct finding f = {0};

		rows->check(&f);
		buf_printf(out, "%s%s: %s", out->length ? "; " : "", rows->name, states[f.state]);
		if (said)
			buf_printf(out, ", %s", f.text);
	}
}

/* The text of a limit may name a group, which is another one each time. */
static char *watch_basis_host(void)
{
	struct buf out = {0};

	watch_basis_add_rows(doctor_host, true, &out);
	watch_basis_add_rows(doctor_limits, false, &out);
	return buf_take(&out);
}

void watch_basis_find(struct basis *b, const struct selftest *t)
{
	watch_basis_kernel(&b->items[BASIS_KERNEL], &b->items[BASIS_BUILD]);
	b->items[BASIS_PARAMETERS] = watch_basis_parameters();
	b->items[BASIS_GLOVEBOX] = own_strdup(GLOVEBOX_VERSION);
	b->items[BASIS_PROGRAM] = watch_basis_program();
	b->items[BASIS_POLICY] = watch_basis_policy();
	b->items[BASIS_LAYERS] = watch_basis_layers();
	b->items[BASIS_HOST] = watch_basis_host();
	b->items[BASIS_ASKED] = own_printf("%s%s%s", t->image, t->only ? ", only " : "",
					   t->only ? t->only->name : "");
}

void watch_basis_fini(struct basis *b)
{
	for (size_t i = 0; i < BASIS_ITEMS; i++)
		own_free(&b->items[i]);
}

void watch_basis_put(const struct basis *b, struct buf *out, const char *key)
{
	json_put_begin(out, key, '{');
	for (size_t i = 0; i < BASIS_ITEMS; i++)
		json_put_text(out, names[i], b->items[i]);
	json_put_end(out, '}');
}

void watch_basis_changes(const struct basis *b, const struct json *before, struct buf *out)
{
	for (size_t i = 0; i < BASIS_ITEMS; i++) {
		const char *was = before ? json_string_at(before, names[i]) : NULL;

		if (!was || strcmp(was, b->items[i]) != 0)
			buf_printf(out, "%s%s", out->length ? ", " : "", names[i]);
	}
}
