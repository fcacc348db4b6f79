/*
 * egress_preset - find and read named lists of hosts.
 */
#include "netpolicy/egress_preset.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/list.h"
#include "base/nearest.h"
#include "base/own.h"
#include "fs/names.h"
#include "netpolicy/egress_shipped.h"

/* -- where they are --------------------------------------------------------------------------- */

static bool egress_preset_fits(int length)
{
	return length > 0 && length < PATH_MAX;
}

static bool egress_preset_user(char out[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		return egress_preset_fits(snprintf(out, PATH_MAX, "%s/glovebox/egress.d", config));
	return home && *home == '/' &&
	       egress_preset_fits(snprintf(out, PATH_MAX, "%s/.config/glovebox/egress.d", home));
}

static bool egress_preset_machine(char out[PATH_MAX])
{
	return egress_preset_fits(snprintf(out, PATH_MAX, "/etc/glovebox/egress.d"));
}

/* Each writes the path of a directory, or returns false. The shipped lists come after them. */
static bool (*const places[])(char out[PATH_MAX]) = {egress_preset_user, egress_preset_machine};

#define MOST_OFFERED 16   /* lists that an error names */
#define MOST_NAMES   1000 /* directory entries read for that error */

#define PLACES       (sizeof(places) / sizeof(places[0]))

/* -- reading one ------------------------------------------------------------------------------ */

static bool egress_preset_is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";

	return *text && *text != '-' && strspn(text, letters) == strlen(text);
}

char *egress_preset_word(const char *text)
{
	auto_free char *name = own_strdup(text);

	for (char *c = name; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
	return egress_preset_is_name(name) ? take_ptr(&name) : NULL;
}

/*
 * Open only what root or we alone can write to. Owned; -1 with ERR_SYSTEM if it cannot be opened.
 */
static int egress_preset_open(int dir_fd, const char *name, mode_t type, struct err *e)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return err_input(e, "it must not be a link");
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open it");
	if ((st.st_mode & S_IFMT) != type)
		return err_input(e, "it must be a %s", type == S_IFDIR ? "directory" : "file");
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_input(e, "it must belong to root or to you, and belongs to uid %u",
				 st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_input(e, "others may write to it: chmod go-w");
	return take_fd(&fd);
}

static bool egress_preset_is_missing(const struct err *e)
{
	return e->kind == ERR_SYSTEM && (e->number == ENOENT || e->number == ENOTDIR);
}

/* Returns 1 if this directory does not have the list. */
static int egress_preset_try(unsigned place, const char *name, struct egress_preset *out,
			     struct err *e)
{
	char directory[PATH_MAX];
	auto_fd int dir_fd = -1;
	auto_fd int fd = -1;

	if (place == PLACES)
		return egress_shipped_read(name, out->path, &out->text, e);
	if (!places[place](directory))
		return 1;
	dir_fd = egress_preset_open(AT_FDCWD, directory, S_IFDIR, e);
	if (dir_fd < 0)
		return egress_preset_is_missing(e) ? 1 : err_prefix(e, "%.300s", directory);
	if (!egress_preset_fits(snprintf(out->path, PATH_MAX, "%s/%s", directory, name)))
		return 1;
	fd = egress_preset_open(dir_fd, name, S_IFREG, e);
	if (fd < 0)
		return egress_preset_is_missing(e) ? 1 : err_prefix(e, "%.300s", out->path);
	return io_read_fd(fd, out->path, EGRESS_PRESET_BYTES, &out->text, e);
}

/* -- what there is ---------------------------------------------------------------------------- */

void egress_preset_names(const char *directory, struct list *out)
{
	auto_fd int dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list names = {0};

	if (dir < 0 || names_read(dir, MOST_NAMES, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		if (egress_preset_is_name(names.items[i]) && !list_has(out, names.items[i]))
			list_add(out, names.items[i]);
	}
}

static void egress_preset_all(struct list *out)
{
	char directory[PATH_MAX];

	for (unsigned i = 0; i < PLACES; i++) {
		if (places[i](directory))
			egress_preset_names(directory, out);
	}
	egress_shipped_names(out);
	list_sort(out);
}

/* "; did you mean debian? there are conda, debian" */
static void egress_preset_offer(const char *name, struct buf *out)
{
	struct nearest nearest = nearest_to(name, strlen(name));
	auto_list struct list all = {0};

	egress_preset_all(&all);
	for (size_t i = 0; i < all.count; i++)
		nearest_try(&nearest, all.items[i]);
	if (nearest.name)
		buf_printf(out, "; did you mean %s?", nearest.name);
	for (size_t i = 0; i < all.count && i < MOST_OFFERED; i++)
		buf_printf(out, "%s%s",
			   i              ? ", "
			   : nearest.name ? " there are "
					  : "; there are ",
			   all.items[i]);
	buf_text(out, all.count > MOST_OFFERED ? ", ..." : "");
}

static int egress_preset_refuse(const char *name, unsigned from, struct err *e)
{
	auto_buf struct buf searched = {0};
	auto_buf struct buf offered = {0};
	char path[PATH_MAX];

	for (unsigned i = from; i <= PLACES; i++) {
		if (i < PLACES ? places[i](path) : egress_shipped_place(path))
			buf_printf(&searched, "%s%.100s", searched.length ? ", " : "", path);
	}
	egress_preset_offer(name, &offered);
	return err_input(e, "there is no list \"%.64s\" in %s (as a host: %.64s:443)%.300s", name,
			 searched.length ? buf_string(&searched) : "any place", name,
			 offered.length ? buf_string(&offered) : "");
}

/* Search the places `from` to `last`. Returns 1 if they do not have the list. */
static int egress_preset_search(const char *name, unsigned from, unsigned last,
				struct egress_preset *out, struct err *e)
{
	for (unsigned i = from; i <= last; i++) {
		int found = egress_preset_try(i, name, out, e);

		out->place = i;
		if (found <= 0)
			return found;
	}
	return 1;
}

/* Refuse a file that is not text. */
static int egress_preset_check(struct egress_preset *out, struct err *e)
{
	if (!memchr(buf_string(&out->text), '\0', out->text.length))
		return 0;
	return err_input(e, "%.300s has a NUL byte", out->path);
}

int egress_preset_read_own(const char *name, struct egress_preset *out, struct err *e)
{
	int found;

	*out = (struct egress_preset){0};
	found = egress_preset_search(name, 0, PLACES - 1, out, e);
	if (!found)
		found = egress_preset_check(out, e);
	if (found)
		buf_fini(&out->text);
	return found;
}

int egress_preset_read(const char *name, unsigned from, struct egress_preset *out, struct err *e)
{
	int found;

	*out = (struct egress_preset){0};
	if (strlen(name) > EGRESS_PRESET_NAME)
		return err_input(e, "\"%.64s...\" is too long for the name of a list", name);
	found = egress_preset_search(name, from, PLACES, out, e);
	if (found > 0)
		found = egress_preset_refuse(name, from, e);
	else if (!found)
		found = egress_preset_check(out, e);
	if (found)
		buf_fini(&out->text);
	return found;
}

char *egress_preset_line(char **text, unsigned *number)
{
	char *line;

	while ((line = strsep(text, "\n"))) {
		char *end;

		++*number;
		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t\r");
		end = line + strlen(line);
		while (end > line && strchr(" \t\r", end[-1]))
			end--;
		*end = '\0';
		if (*line)
			break;
	}
	return line;
}

bool egress_preset_is_there(const char *text)
{
	auto_free char *name = egress_preset_word(text);
	struct egress_preset preset;
	struct err ignored;

	if (!name || egress_preset_read(name, 0, &preset, &ignored))
		return false;
	buf_fini(&preset.text);
	return true;
}
