/*
 * test_mount_flags - sources and targets, also hostile ones, in docker's spellings.
 */
#include "unit.h"

#include <limits.h>

#include "spec/mount_flags.h"

static struct sandbox_spec spec;
static struct err e;

static int new_spec(void **state)
{
	(void)state;
	spec_init(&spec);
	return 0;
}

static int end_spec(void **state)
{
	(void)state;
	spec_fini(&spec);
	return 0;
}

typedef int apply_fn(void *, const char *, struct err *);

/* Apply a value that must be accepted; returns the one mount that it made. */
static const struct mount_spec *made(apply_fn *apply, const char *value)
{
	size_t before = spec.mount_count;

	accepts(apply(&spec, value, &e), value);
	assert_int_equal(spec.mount_count, before + 1);
	return &spec.mounts[before];
}

#define REFUSED(apply, kind, ...)                                                                  \
	do {                                                                                       \
		static const struct {                                                              \
			const char *value;                                                         \
			const char *text;                                                          \
		} table[] = {__VA_ARGS__};                                                         \
		for (size_t i = 0; i < COUNT(table); i++)                                          \
			refuses(apply(&spec, table[i].value, &e), table[i].value, kind,            \
				table[i].text);                                                    \
	} while (0)

static void test_targets_become_normal(void **state)
{
	static const struct {
		const char *text;
		const char *normal;
	} table[] = {
		{"/a",          "/a"         },
		{"/a/",         "/a"         },
		{"//a///b//",   "/a/b"       },
		{"/./a/./b/.",  "/a/b"       },
		{"/...",        "/..."       },
		{"/..a/b..",    "/..a/b.."   },
		{"/.hidden",    "/.hidden"   },
		{"/a b\n\xff",  "/a b\n\xff" },
		{"/dev/shm",    "/dev/shm"   },
		{"/dev//shm/.", "/dev/shm"   },
		{"/device",     "/device"    },
		{"/procfs",     "/procfs"    },
		{"/system",     "/system"    },
		{"/a/proc",     "/a/proc"    },
		{"/etc/passwd", "/etc/passwd"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char *out = NULL;

		accepts(mount_target(&spec, table[i].text, &out, &e), table[i].text);
		assert_string_equal(out, table[i].normal);
	}
}

static void test_hostile_targets_are_refused(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} table[] = {
		{"",               "absolute"                   },
		{"a",              "absolute"                   },
		{"./a",            "absolute"                   },
		{"../a",           "absolute"                   },
		{" /a",            "absolute"                   },
		{"/",              "@mount_target#invalid"      },
		{"//",             "@mount_target#invalid"      },
		{"/.",             "@mount_target#invalid"      },
		{"/././/",         "@mount_target#invalid"      },
		{"/..",            "\"..\""                     },
		{"/a/../b",        "\"..\""                     },
		{"/a/..",          "\"..\""                     },
		{"/tmp/../proc",   "\"..\""                     },
		{"/proc",          "@mount_target#nothing /proc"},
		{"/proc/",         "@mount_target#nothing /proc"},
		{"/proc/self/fd",  "@mount_target#nothing /proc"},
		{"//proc//1",      "@mount_target#nothing /proc"},
		{"/./proc",        "@mount_target#nothing /proc"},
		{"/sys",           "@mount_target#nothing /sys" },
		{"/sys/fs/cgroup", "@mount_target#nothing /sys" },
		{"/dev",           "@mount_target#nothing /dev" },
		{"/dev/null",      "@mount_target#nothing /dev" },
		{"/dev/shm/x",     "@mount_target#nothing /dev" },
		{"/dev/shmx",      "@mount_target#nothing /dev" },
		{"/dev/./pts",     "@mount_target#nothing /dev" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char *out = NULL;

		refuses(mount_target(&spec, table[i].text, &out, &e), table[i].text, ERR_INPUT,
			table[i].why);
	}
}

static void test_target_lengths(void **state)
{
	char text[PATH_MAX + 16];
	char *out;

	(void)state;
	for (size_t length = NAME_MAX - 1; length <= NAME_MAX + 1; length++) {
		memset(text, 'x', sizeof(text));
		memcpy(text, "/a/", 3);
		text[3 + length] = '\0';
		if (length <= NAME_MAX)
			accepts(mount_target(&spec, text, &out, &e), text);
		else
			refuses(mount_target(&spec, text, &out, &e), text, ERR_INPUT, "component");
	}
	for (size_t length = PATH_MAX - 2; length <= PATH_MAX + 1; length++) {
		for (size_t i = 0; i < length; i++)
			text[i] = i % 100 ? 'x' : '/';
		text[length] = '\0';
		if (length < PATH_MAX)
			accepts(mount_target(&spec, text, &out, &e), text);
		else
			refuses(mount_target(&spec, text, &out, &e), text, ERR_INPUT,
				"@mount_target#longer");
	}
}

static void test_volume_forms(void **state)
{
	const struct mount_spec *m = made(mount_flag_volume, "/src:/dst");
	char cwd[PATH_MAX];

	(void)state;
	assert_int_equal(m->kind, MOUNT_BIND);
	assert_string_equal(m->source, "/src");
	assert_string_equal(m->target, "/dst");
	assert_false(m->read_only);
	assert_true(m->exec);
	assert_false(m->create_source);
	assert_true(made(mount_flag_volume, "/src:/dst:ro")->read_only);
	assert_false(made(mount_flag_volume, "/src:/dst:rw")->read_only);
	assert_true(made(mount_flag_volume, "/src:/dst:ro,z")->read_only);
	assert_true(made(mount_flag_volume, "/src:/dst:Z,cached,rprivate,ro")->read_only);
	assert_string_equal(made(mount_flag_volume, "/s:/a/./b//")->target, "/a/b");
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	m = made(mount_flag_volume, "./work:/data:ro");
	assert_memory_equal(m->source, cwd, strlen(cwd));
	assert_string_equal(m->source + strlen(m->source) - 5, "/work");
	m = made(mount_flag_volume, ".:/data");
	assert_memory_equal(m->source, cwd, strlen(cwd));
	spec.is_docker = true; /* as docker */
	assert_true(made(mount_flag_volume, "/src:/dst")->create_source);
	spec.is_docker = false;
}

static void test_volume_refusals(void **state)
{
	(void)state;
	REFUSED(mount_flag_volume, ERR_UNSUPPORTED, {"/data", "@volume_refuse_anonymous"},
		{"", "@volume_refuse_anonymous"}, {"/a:/b:rshared", "propagation"},
		{"/a:/b:slave", "propagation"}, {"/a:/b:ro,shared", "propagation"});
	REFUSED(mount_flag_volume, ERR_INPUT, {"/a:b", "absolute"}, {"/a:", "absolute"},
		{"/a:/b:rx", "@mount_flags_volume_option#volume \"rx\""},
		{"/a:/b:rw:ro", "@mount_flag_volume#specification /a:/b:rw:ro"},
		{"/a:/b:rx", "@mount_flags_volume_option#volume"},
		{"/a:/b:RO", "@mount_flags_volume_option#volume"}, {"/a:/proc", "/proc"},
		{"/a:/", "'/'"}, {"/a:/b/../c", "\"..\""}, {"/a:/dev/sda", "/dev"});
}

static void test_volumes_by_name(void **state)
{
	static const char *const spellings[] = {
		"type=volume,source=a.b_-1,target=/dst", "src=a.b_-1,dst=/dst",
		"type=Volume,src=a.b_-1,dst=/dst,volume-nocopy,volume-driver=local"};
	const struct mount_spec *m;

	(void)state;
	setenv("XDG_STATE_HOME", "/state", 1);
	m = made(mount_flag_volume, "a.b_-1:/dst:ro,nocopy,z");
	assert_int_equal(m->kind, MOUNT_BIND);
	assert_string_equal(m->volume, "a.b_-1");
	assert_string_equal(m->source, "/state/glovebox/volumes/a.b_-1/_data");
	assert_string_equal(m->target, "/dst");
	assert_true(m->read_only);
	assert_true(m->exec);
	for (size_t i = 0; i < COUNT(spellings); i++) {
		m = made(mount_flag_mount, spellings[i]);
		assert_string_equal(m->volume, "a.b_-1");
		assert_string_equal(m->target, "/dst");
		assert_false(m->read_only);
	}
	spec.is_docker = true; /* it is made by volume_open() alone */
	assert_false(made(mount_flag_volume, "vv:/dst")->create_source);
	spec.is_docker = false;
	assert_null(made(mount_flag_volume, "./vv:/dst")->volume);
	REFUSED(mount_flag_volume, ERR_INPUT, {"a/b:/x", "@volume_check_name#invalid ./a/b"},
		{"_a:/x", "@volume_check_name#invalid"}, {"-a:/x", "@volume_check_name#invalid"},
		{"a b:/x", "@volume_check_name#invalid"}, {":/x", "@volume_check_name#invalid"},
		{"\xc3\xa4\xc3\xa4:/x", "@volume_check_name#invalid"},
		{"1:/x", "@volume_check_name#short"}, {"vv:x", "absolute"}, {"vv:/proc", "/proc"},
		{"vv:/x:ro:rw", "@mount_flag_volume#specification"});
	unsetenv("XDG_STATE_HOME");
}

static void test_the_length_of_a_volumes_name(void **state)
{
	char text[NAME_MAX + 8];

	(void)state;
	for (size_t length = NAME_MAX - 1; length <= NAME_MAX + 1; length++) {
		memset(text, 'x', length);
		strcpy(text + length, ":/x");
		if (length <= NAME_MAX)
			assert_non_null(made(mount_flag_volume, text)->volume);
		else
			refuses(mount_flag_volume(&spec, text, &e), text, ERR_INPUT,
				"@volume_check_name#longer");
	}
}

static void test_workspace_is_data_read_only(void **state)
{
	const struct mount_spec *m = made(mount_flag_workspace, "/w:x,y");

	(void)state;
	assert_int_equal(m->kind, MOUNT_BIND);
	assert_string_equal(m->source, "/w:x,y"); /* the whole value is the directory */
	assert_string_equal(m->target, "/data");
	assert_true(m->read_only);
	assert_false(m->create_source);
	REFUSED(mount_flag_workspace, ERR_INPUT, {"", "@mount_flags_host_path#empty"});
}

static void test_source_longer_than_a_path_is_refused(void **state)
{
	char text[PATH_MAX + 16];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[0] = '/';
	text[sizeof(text) - 1] = '\0';
	refuses(mount_flag_workspace(&spec, text, &e), "/x...", ERR_INPUT, "@mount_target#longer");
}

static void test_tmpfs_defaults(void **state)
{
	const struct mount_spec *m = made(mount_flag_tmpfs, "/scratch");

	(void)state;
	assert_int_equal(m->kind, MOUNT_TMPFS);
	assert_null(m->source);
	assert_int_equal(m->size_bytes, DEFAULT_TMPFS_BYTES);
	assert_int_equal(m->inodes, DEFAULT_TMPFS_INODES);
	assert_int_equal(m->mode, 01777);
	assert_int_equal(m->uid, -1);
	assert_int_equal(m->gid, -1);
	assert_false(m->read_only);
	assert_false(m->exec);
}

static void test_tmpfs_options(void **state)
{
	const struct mount_spec *m;

	(void)state;
	m = made(mount_flag_tmpfs,
		 "/t:size=100m,mode=0700,uid=7,gid=4294967294,nr_inodes=5k,exec,ro,nosuid,nodev");
	assert_int_equal(m->size_bytes, 100 << 20);
	assert_int_equal(m->mode, 0700);
	assert_int_equal(m->uid, 7);
	assert_int_equal(m->gid, 4294967294);
	assert_int_equal(m->inodes, 5120);
	assert_true(m->exec);
	assert_true(m->read_only);
	m = made(mount_flag_tmpfs, "/t:exec,noexec,ro,rw");
	assert_false(m->exec);
	assert_false(m->read_only);
	assert_int_equal(made(mount_flag_tmpfs, "/t:,,size=4096,,")->size_bytes, 4096);
	assert_int_equal(made(mount_flag_tmpfs, "/t:")->size_bytes, DEFAULT_TMPFS_BYTES);
}

static void test_tmpfs_refusals(void **state)
{
	(void)state;
	REFUSED(mount_flag_tmpfs, ERR_INPUT, {"", "absolute"}, {"t", "absolute"},
		{"/proc", "/proc"}, {"/t:size=0", "@parse_size#range"},
		{"/t:size=4095", "@parse_size#range"}, {"/t:size=50%", "@parse_size#unit"},
		{"/t:size=-1", "@parse_size#such"}, {"/t:size=", "@parse_size#such"},
		{"/t:size", "@mount_flags_tmpfs_option#tmpfs"}, {"/t:mode=8", "octal"},
		{"/t:mode=10000", "range"}, {"/t:uid=-1", "range"}, {"/t:gid=4294967295", "range"},
		{"/t:uid=root", "whole"}, {"/t:nr_inodes=0", "range"},
		{"/t:huge=always", "@mount_flags_tmpfs_option#tmpfs"},
		{"/t:size=1m:ro", "@parse_size#unit"},
		{"/t:mpol=bind", "@mount_flags_tmpfs_option#tmpfs"});
	REFUSED(mount_flag_tmpfs, ERR_UNSUPPORTED, {"/t:suid", "nosuid"}, {"/t:dev", "nodev"});
}

static void test_output_is_staged(void **state)
{
	const struct mount_spec *m = made(mount_flag_output, "/out");

	(void)state;
	assert_int_equal(m->kind, MOUNT_STAGE);
	assert_string_equal(m->source, "/out");
	assert_string_equal(m->target, "/output");
	assert_int_equal(m->size_bytes, 256 << 20);
	assert_int_equal(m->inodes, 1001); /* and one for the directory itself */
	assert_false(m->exec);
	assert_false(m->read_only);
	m = made(mount_flag_output, "/out,size=1m,files=1");
	assert_int_equal(m->size_bytes, 1 << 20);
	assert_int_equal(m->inodes, 2);
	REFUSED(mount_flag_output, ERR_INPUT, {"", "@mount_flags_host_path#empty"},
		{",size=1m", "@mount_flags_host_path#empty"}, {"/o,size=0", "range"},
		{"/o,files=0", "range"}, {"/o,files=x", "size"},
		{"/o,ro", "@mount_flags_output_options \"ro\""},
		{"/o,size", "@mount_flags_output_options"});
}

static void test_mount_bind(void **state)
{
	static const char *const spellings[] = {
		"type=bind,source=/s,target=/t",
		"type=bind,src=/s,dst=/t",
		"dst=/t,type=bind,src=/s",
		"type=bind,src=/s,destination=/t,bind-propagation=rprivate",
	};
	static const char *const read_only[] = {"readonly", "ro", "readonly=true", "ro=1"};

	(void)state;
	for (size_t i = 0; i < COUNT(spellings); i++) {
		const struct mount_spec *m = made(mount_flag_mount, spellings[i]);

		assert_int_equal(m->kind, MOUNT_BIND);
		assert_string_equal(m->source, "/s");
		assert_string_equal(m->target, "/t");
		assert_false(m->read_only);
		assert_false(m->create_source); /* a missing source is an error, as with Docker */
	}
	for (size_t i = 0; i < COUNT(read_only); i++) {
		char text[128];

		snprintf(text, sizeof(text), "type=bind,src=/s,dst=/t,%s", read_only[i]);
		assert_true(made(mount_flag_mount, text)->read_only);
	}
	assert_false(made(mount_flag_mount, "type=bind,src=/s,dst=/t,ro=false")->read_only);
}

static void test_mount_tmpfs(void **state)
{
	const struct mount_spec *m;

	(void)state;
	m = made(mount_flag_mount, "type=tmpfs,dst=/t,tmpfs-size=1m,tmpfs-mode=0750,readonly");
	assert_int_equal(m->kind, MOUNT_TMPFS);
	assert_int_equal(m->size_bytes, 1 << 20);
	assert_int_equal(m->mode, 0750);
	assert_int_equal(m->inodes, DEFAULT_TMPFS_INODES);
	assert_true(m->read_only);
	assert_false(m->exec);
}

static void test_mount_refusals(void **state)
{
	(void)state;
	REFUSED(mount_flag_mount, ERR_UNSUPPORTED, {"dst=/t", "@volume_refuse_anonymous"},
		{"type=volume,dst=/t", "@volume_refuse_anonymous"},
		{"type=npipe,dst=/t", "type=npipe"}, {"type=,dst=/t", "type="});
	REFUSED(mount_flag_mount, ERR_INPUT, {"", "@mount_flag_mount#target"},
		{"type=bind,src=/s", "@mount_flag_mount#target"},
		{"type=bind,dst=/t", "@mount_flags_of_type#needs"},
		{"type=tmpfs,src=/s,dst=/t", "@mount_flags_of_type#has"},
		{"type=bind,src=,dst=/t", "@mount_flags_host_path#empty"},
		{"type=bind,src=/s,dst=t", "absolute"}, {"type=bind,src=/s,dst=/proc", "/proc"},
		{"type=tmpfs,dst=/t/..", "\"..\""}, {"type=tmpfs,dst=/t,tmpfs-size=0", "range"},
		{"type=bind,src=/s,dst=/t,ro=maybe", "@parse_bool"},
		{"type=bind,src=/s,dst=/t,readwrite", "@mount_flags_field"},
		{"type=bind,src=/s,dst=/t,bind-propagation=shared", "bind-propagation"});
}

static void test_mount_mixed_options_are_not_ignored(void **state)
{
	(void)state;
	REFUSED(mount_flag_mount, ERR_INPUT, {"type=bind,src=/s,dst=/t,tmpfs-size=1m", "tmpfs"},
		{"type=bind,src=/s,dst=/t,tmpfs-mode=0700", "tmpfs"},
		{"type=volume,src=ss,dst=/t,tmpfs-size=1m", "tmpfs"});
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_spec, end_spec)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_targets_become_normal),
		TEST(test_hostile_targets_are_refused),
		TEST(test_target_lengths),
		TEST(test_volume_forms),
		TEST(test_volume_refusals),
		TEST(test_volumes_by_name),
		TEST(test_the_length_of_a_volumes_name),
		TEST(test_workspace_is_data_read_only),
		TEST(test_source_longer_than_a_path_is_refused),
		TEST(test_tmpfs_defaults),
		TEST(test_tmpfs_options),
		TEST(test_tmpfs_refusals),
		TEST(test_output_is_staged),
		TEST(test_mount_bind),
		TEST(test_mount_tmpfs),
		TEST(test_mount_refusals),
		TEST(test_mount_mixed_options_are_not_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
