/*
 * exec_record - an exec instance of the Engine, as files in the record of its container.
 */
#include "engine/exec_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/random.h"
#include "fs/names.h"
#include "fs/state_file.h"

#define FOLDER  "execs"
#define RUN     ".run"
#define END     ".end"
#define HALF    32  /* digits of the container */
#define KEPT    200 /* instances of a container that are remembered, or more */
#define KEPT_S  60  /* how long the end of each is, at least: its client asks for it */
#define BYTES   (1u << 20)
#define MISSING "No such exec instance: %.100s"

static int exec_record_folder(const struct record *container, bool make)
{
	if (make)
		(void)mkdirat(container->dir, FOLDER, 0700);
	return openat(container->dir, FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool exec_record_is_old(int folder, const char *end)
{
	struct stat st;

	return !fstatat(folder, end, &st, AT_SYMLINK_NOFOLLOW) && st.st_mtime + KEPT_S < time(NULL);
}

/* Forget those that have ended, once there are many. */
static void exec_record_sweep(int folder)
{
	auto_list struct list names = {0};

	if (names_read(folder, 100000, &names) || names.count < 2 * KEPT)
		return;
	for (size_t i = 0; i < names.count; i++) {
		auto_free char *name = own_strdup(names.items[i]);
		const size_t length = strlen(name);
		auto_free char *run = NULL;

		if (length < 4 || strcmp(name + length - 4, END) != 0 ||
		    !exec_record_is_old(folder, name))
			continue;
		(void)unlinkat(folder, name, 0);
		name[length - 4] = '\0';
		run = own_printf("%s" RUN, name);
		(void)unlinkat(folder, run, 0);
	}
}

int exec_record_make(const struct record *container, const struct json *body, char id[EXEC_ID],
		     struct err *e)
{
	auto_fd int folder = exec_record_folder(container, true);
	auto_fd int fd = -1;
	auto_buf struct buf text = {0};
	unsigned char bytes[(EXEC_ID - 1 - HALF) / 2];

	if (folder < 0)
		return err_sys(e, "make the directory of execs");
	exec_record_sweep(folder);
	random_bytes(bytes, sizeof(bytes));
	memcpy(id, container->id, HALF);
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(id + HALF + 2 * i, 3, "%02x", bytes[i]);
	json_write(body, &text);
	if (text.length > BYTES)
		return err_input(e, "the exec is larger than %u KiB", BYTES >> 10);
	fd = state_file_open(folder, id, O_WRONLY | O_CREAT | O_EXCL);
	return fd < 0 || io_write_all(fd, text.data, text.length) ? err_sys(e, "write the exec")
								  : 0;
}

static int exec_record_open(int folder, const char *id, const char *suffix)
{
	auto_free char *name = own_printf("%s%s", id, suffix);

	return state_file_open(folder, name, O_RDONLY);
}

static struct json *exec_record_read(int fd, struct err *e)
{
	auto_buf struct buf text = {0};

	return io_read_fd(fd, "the exec", BYTES, &text, e) ? NULL
							   : json_parse(text.data, text.length, e);
}

static int exec_record_look(int folder, struct exec_record *x, struct err *e)
{
	auto_fd int end = exec_record_open(folder, x->id, END);
	auto_fd int run = exec_record_open(folder, x->id, RUN);
	auto_fd int made = run < 0 ? exec_record_open(folder, x->id, "") : -1;
	auto_json struct json *ended = end < 0 ? NULL : exec_record_read(end, e);
	uint64_t code = 0;

	if (run < 0 && made < 0)
		return err_set(e, ERR_NOT_FOUND, MISSING, x->id);
	x->what = exec_record_read(run < 0 ? made : run, e);
	x->number = ended ? json_uint_at(ended, "number", 0) : 0;
	x->has_ended = ended && !x->number && !json_number(json_get(ended, "code"), &code);
	x->exit_code = (int)code;
	x->runs = run >= 0 && !ended && flock(run, LOCK_SH | LOCK_NB);
	if (run >= 0 && !ended && !x->runs) {
		x->has_ended = true; /* its server was killed */
		x->exit_code = 137;
	}
	return x->what ? 0 : -1;
}

int exec_record_find(const char *id, struct exec_record *out, struct err *e)
{
	auto_free char *half = own_strndup(id, HALF);
	auto_fd int folder = -1;

	*out = (struct exec_record){.container.dir = -1};
	if (strlen(id) != EXEC_ID - 1 || id[strspn(id, "0123456789abcdef")] ||
	    record_find_id(half, &out->container, e))
		return err_set(e, ERR_NOT_FOUND, MISSING, id);
	snprintf(out->id, sizeof(out->id), "%s", id);
	folder = exec_record_folder(&out->container, false);
	return folder < 0 ? err_set(e, ERR_NOT_FOUND, MISSING, id)
			  : exec_record_look(folder, out, e);
}

void exec_record_fini(struct exec_record *x)
{
	record_fini(&x->container);
	json_free(x->what);
	x->what = NULL;
}

int exec_record_begin(const struct exec_record *x, int *lock, struct err *e)
{
	auto_fd int folder = exec_record_folder(&x->container, false);
	auto_fd int fd = folder < 0 ? -1 : exec_record_open(folder, x->id, "");
	auto_free char *run = own_printf("%s" RUN, x->id);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || renameat(folder, x->id, folder, run))
		return err_set(e, ERR_EXISTS, "exec command %.64s has already run", x->id);
	*lock = take_fd(&fd);
	return 0;
}

void exec_record_end(const struct exec_record *x, int exit_code, uint64_t number)
{
	auto_fd int folder = exec_record_folder(&x->container, false);
	auto_free char *name = own_printf("%s" END, x->id);
	auto_free char *text =
		own_printf("{\"code\":%d,\"number\":%llu}", exit_code, (unsigned long long)number);

	if (folder >= 0)
		(void)state_file_replace(folder, name, text, strlen(text));
}
