/*
 * root_host - the image "host": the machine's own /usr, and an /etc without secrets, made from a
 * list of visible files.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "image/image_user.h"
#include "root/root_hosts.h"
#include "root/root_plan.h"

#define HOST_ATTRIBUTES (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* Links into /usr on a merged system, directories elsewhere. */
static const char *const top_level[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

/* Public configuration that programs in /usr read. Nothing here names users, hosts or keys. */
static const char *const public_etc[] = {
	"/etc/alternatives",    "/etc/ld.so.cache", "/etc/fonts",          "/etc/localtime",
	"/etc/mime.types",      "/etc/services",    "/etc/protocols",      "/etc/ssl/certs",
	"/etc/ssl/openssl.cnf", "/etc/python3",     "/etc/python3.9",      "/etc/python3.10",
	"/etc/python3.11",      "/etc/python3.12",  "/etc/python3.13",     "/etc/python3.14",
	"/etc/matplotlibrc",    "/etc/magic",       "/etc/debian_version",
};

bool root_host_has(const char *path)
{
	static const char *const ours[] = {"/etc", "/var", "/run", "/opt/glovebox"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (path_is_at_or_below(path, ours[i]))
			return true;
	}
	for (size_t i = 0; i < sizeof(top_level) / sizeof(top_level[0]); i++) {
		if (path_is_at_or_below(path, top_level[i]))
			return true;
	}
	return path_is_at_or_below(path, "/usr");
}

void root_host_files(struct buf *out)
{
	struct stat st;

	for (size_t i = 0; i < sizeof(public_etc) / sizeof(public_etc[0]); i++) {
		if (!lstat(public_etc[i], &st))
			buf_printf(out, "\n%llx:%llx", (unsigned long long)st.st_dev,
				   (unsigned long long)st.st_ino);
	}
}

static int root_host_add_place(struct root_plan *plan, const struct idmap *map, const char *path,
			       struct err *e)
{
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (lstat(path, &st))
		return 0;
	if (S_ISLNK(st.st_mode)) {
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			return err_sys(e, "read link %s", path);
		target[n] = '\0';
		root_ops_add(plan, ROOT_LINK, path)->source = spec_strdup(plan->spec, target);
		return 0;
	}
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return 0;
	root_ops_add(plan, S_ISDIR(st.st_mode) ? ROOT_DIR : ROOT_FILE, path);
	if (root_ops_bind(plan, map, AT_FDCWD, path, path, path, HOST_ATTRIBUTES, e))
		return -1;
	plan->ops[plan->count - 1].in_image = true;
	return 0;
}

static void root_host_add_text(struct root_plan *plan, const char *path, const char *text)
{
	struct root_op *op = root_ops_add(plan, ROOT_FILE, path);

	op->mode = 0644;
	op->bytes = text;
	op->length = strlen(text);
}

static void root_host_add_etc(struct root_plan *plan, const struct program *program)
{
	const struct sandbox_spec *s = plan->spec;

	root_host_add_text(plan, "/etc/passwd",
			   spec_printf(s, HOST_PASSWD "sandbox:x:%u:%u:sandbox:%s:/bin/sh\n",
				       program->uid, program->gid, program->home));
	root_host_add_text(plan, "/etc/group",
			   spec_printf(s, HOST_GROUP "sandbox:x:%u:\n", program->gid));
	root_host_add_text(plan, "/etc/hosts", root_hosts_text(s));
	root_host_add_text(plan, "/etc/nsswitch.conf",
			   "passwd: files\ngroup: files\nhosts: files dns\n");
	root_host_add_text(plan, "/etc/resolv.conf", s->egress.has_list ? ROOT_PLAN_RESOLVER : "");
	root_host_add_text(plan, "/etc/os-release",
			   "NAME=glovebox\nID=glovebox\nPRETTY_NAME=\"glovebox host image\"\n");
}

int root_plan_host(struct root_plan *plan, const struct program *program, const struct idmap *map,
		   const char *const *targets, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(targets[i], "/usr/", 5) && access(targets[i], F_OK))
			return err_input(e,
					 "%.200s does not exist, and the image host cannot have it "
					 "added: mount it elsewhere",
					 targets[i]);
	}
	if (root_host_add_place(plan, map, "/usr", e))
		return -1;
	for (size_t i = 0; i < sizeof(top_level) / sizeof(top_level[0]); i++) {
		if (root_host_add_place(plan, map, top_level[i], e))
			return -1;
	}
	root_ops_dirs(plan, "/etc/ssl");
	for (size_t i = 0; i < sizeof(public_etc) / sizeof(public_etc[0]); i++) {
		if (root_host_add_place(plan, map, public_etc[i], e))
			return -1;
	}
	root_host_add_etc(plan, program);
	/*
	 * Scripts call "python"; Debian's own /usr has only python3 unless a package adds the link.
	 */
	if (access("/usr/bin/python", X_OK)) {
		root_ops_dirs(plan, "/opt/glovebox/bin");
		root_ops_add(plan, ROOT_LINK, "/opt/glovebox/bin/python")->source =
			"/usr/bin/python3";
	}
	root_ops_dirs(plan, "/var/tmp");
	root_ops_dirs(plan, "/run/lock");
	return 0;
}
