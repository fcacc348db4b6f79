/*
 * setup_look - collect the facts of setup_plan.h before `glovebox setup user` changes anything.
 */
#include "admin/setup_look.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "admin/setup_file.h"
#include "base/own.h"
#include "base/parse.h"
#include "cgroup/cgroup_given.h"
#include "cgroup/cgroup_try.h"
#include "fs/resolve.h"
#include "host/system_program.h"
#include "namespace/subid_file.h"

#define ALL_HIERARCHIES 0x3fu

/* Find by uid if given, otherwise by name. */
static const struct passwd *setup_look_up(FILE *passwd, const char *name, const uid_t *uid)
{
	const struct passwd *pw;

	if (!passwd)
		return uid ? getpwuid(*uid) : getpwnam(name);
	rewind(passwd);
	/* cppcheck-suppress fgetpwentCalled ; no threads */
	while ((pw = fgetpwent(passwd)))
		if (uid ? pw->pw_uid == *uid : !strcmp(pw->pw_name, name))
			break;
	return pw;
}

/*
 * Whether a name of another system's file is one that useradd(8) accepts: we print it in commands.
 */
static bool setup_look_is_plain(const char *name)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return *name && *name != '-' && !name[strspn(name, plain)];
}

/* @passwd: the file of another system; NULL: ask this one. */
static int setup_look_for_user(const char *text, FILE *passwd, struct setup_facts *f, struct err *e)
{
	const struct passwd *pw = setup_look_up(passwd, text, NULL);
	bool is_number = false;
	struct err ignored;
	int64_t number;

	if (!pw && !parse_int(text, 0, UINT32_MAX - 1, &number, &ignored)) {
		is_number = true;
		f->uid = f->gid = (uid_t)number;
		pw = setup_look_up(passwd, text, &f->uid);
	}
	/* Only an account can linger (loginctl(1)). Groups alone can be given to any uid. */
	if (!pw && (f->has_systemd || !is_number))
		return err_set(e, ERR_NOT_FOUND,
			       "user \"%.100s\" does not exist %s: make the account first "
			       "(useradd)",
			       text, passwd ? "in the /etc/passwd of --root" : "here");
	snprintf(f->user, sizeof(f->user), "%u", f->uid);
	if (!pw)
		return 0;
	f->free_subid = SUBIDS_LEAST; /* usermod(8) gives ids to accounts only */
	if (passwd && !setup_look_is_plain(pw->pw_name))
		return err_input(e, "etc/passwd there: \"%.100s\" is not a user name", pw->pw_name);
	if (strlen(pw->pw_name) >= sizeof(f->user))
		return err_input(e, "the name \"%.100s\" is too long", pw->pw_name);
	memcpy(f->user, pw->pw_name, strlen(pw->pw_name) + 1);
	f->uid = pw->pw_uid;
	f->gid = pw->pw_gid;
	return 0;
}

static int setup_look_for_user_elsewhere(const char *text, int root_fd, struct setup_facts *f,
					 struct err *e)
{
	auto_buf struct buf users = {0};
	FILE *passwd;
	int bad;

	if (setup_file_text(root_fd, "/etc/passwd", &users, e))
		return -1;
	buf_text(&users, "\n"); /* fmemopen(3) rejects an empty buffer */
	passwd = fmemopen(users.data, users.length, "re");
	if (!passwd)
		return err_sys(e, "read the /etc/passwd of --root");
	bad = setup_look_for_user(text, passwd, f, e);
	fclose(passwd);
	return bad;
}

static enum setup_layout setup_look_at_layout(void)
{
	if (!cgroup_detect())
		return SETUP_NO_CGROUPS;
	return cgroup_detect() == &cgroup_v2 ? SETUP_V2 : SETUP_V1;
}

/* The search for a range cuts the text into lines: give each search a copy. */
static int setup_look_at_subids(int root_fd, struct setup_facts *f, struct err *e)
{
	static const char *const paths[] = {"/etc/subuid", "/etc/subgid"};
	char uid[24];
	uint32_t first;

	snprintf(uid, sizeof(uid), "%u", f->uid);
	f->has_subids = true;
	for (int i = 0; i < 2; i++) {
		auto_buf struct buf file = {0};
		auto_free char *text = NULL;
		auto_free char *again = NULL;

		if (setup_file_text(root_fd, paths[i], &file, e))
			return -1;
		text = own_strdup(buf_string(&file));
		again = own_strdup(text);
		f->has_subids &= subid_file_parse(text, f->user, uid, &first);
		if (f->free_subid)
			f->free_subid = subid_file_free_after(again, f->free_subid);
	}
	return 0;
}

static void setup_look_at_linger(int root_fd, struct setup_facts *f)
{
	auto_free char *path = own_printf("var/lib/systemd/linger/%s", f->user);
	auto_fd int fd = resolve_open(root_fd, path, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

	f->lingers = fd >= 0;
}

/* Refuse files that setup would write or remove, unless they are ours. */
static int setup_look_at_former(int root_fd, struct setup_facts *f, struct err *e)
{
	for (int i = 0; i < SETUP_FILES; i++) {
		auto_free char *path = setup_plan_path((enum setup_file)i, f->uid);
		auto_buf struct buf former = {0};
		int found = setup_file_read(root_fd, path, &former, e);

		if (found < 0)
			return -1;
		f->has_tmpfiles |= found && i == SETUP_TMPFILES;
	}
	return 0;
}

int setup_look(const char *user, int root_fd, bool is_elsewhere, enum setup_layout layout,
	       struct setup_facts *f, struct err *e)
{
	*f = (struct setup_facts){.is_elsewhere = is_elsewhere};
	f->has_systemd = is_elsewhere || !access("/run/systemd/system", F_OK);
	if (is_elsewhere ? setup_look_for_user_elsewhere(user, root_fd, f, e)
			 : setup_look_for_user(user, NULL, f, e))
		return -1;
	f->layout = is_elsewhere ? layout : setup_look_at_layout();
	for (unsigned i = 0; i <= CGROUP_CONTROLLERS; i++) {
		const enum cgroup_controller c = (enum cgroup_controller)i;

		f->hierarchies |= cgroup_is_offered(c) && !cgroup_is_read_only(c) ? 1u << i : 0;
		f->old_groups |= cgroup_given_is_old(c, f->uid) ? 1u << i : 0;
	}
	if (is_elsewhere)
		f->hierarchies = ALL_HIERARCHIES;
	f->has_apt = system_program_exists(root_fd, "apt-get");
	f->has_uidmap = system_program_exists(root_fd, "newuidmap");
	setup_look_at_linger(root_fd, f);
	return setup_look_at_subids(root_fd, f, e) || setup_look_at_former(root_fd, f, e) ? -1 : 0;
}
