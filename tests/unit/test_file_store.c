/*
 * test_file_store - files that clients upload and runs leave: whole or not there, for their owner
 * alone, within quotas, whatever kills us.
 */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "base/own.h"
#include "loop/clock.h"
#include "store/file_store.h"
#include "store/file_store_name.h"
#include "store/file_store_record.h"

#define UNKNOWN "00000000-0000-4000-8000-000000000000"

static struct err e;
static int base;
static char path[300];
static struct file_store *store;
static struct file_store *volatile not_ours; /* in a child: its parent's, which that will close */
static struct file_store_limits limits;
static struct file_store_hold hold; /* of the last file that was opened */

static int enter(void **state)
{
	(void)state;
	base = unit_enter();
	snprintf(path, sizeof(path), "%s/store", unit_directory);
	limits = (struct file_store_limits){0};
	accepts(file_store_open(path, &limits, &store, &e), path);
	return 0;
}

/* Where fsync(2) costs nothing: a kill loses no page, whatever the file system. */
static int enter_memory(void **state)
{
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	enter(state);
	unsetenv("TMPDIR");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	if (store)
		file_store_close(store);
	store = NULL;
	unit_leave(base);
	return 0;
}

static void reopen(void)
{
	if (store)
		file_store_close(store);
	store = NULL;
	accepts(file_store_open(path, &limits, &store, &e), path);
}

static void set(struct file_store_limits to)
{
	limits = to;
	file_store_set_limits(store, &limits);
}

/* As serve does it, but without the child that waits. */
static int land(struct file_store_upload *u, struct stored_file *out)
{
	if (file_store_land(store, &u, 1, &e) || file_store_land_names(store, &e)) {
		file_store_upload_abandon(u);
		return -1;
	}
	*out = *file_store_upload_file(u);
	file_store_upload_keep(u);
	return 0;
}

static int put_bytes(const char *owner, const char *filename, const void *bytes, size_t length,
		     struct stored_file *out)
{
	struct file_store_upload *u;

	if (file_store_upload_begin(store, owner, &u, &e))
		return -1;
	if (file_store_upload_take(u, bytes, length / 2, &e) ||
	    file_store_upload_take(u, (const char *)bytes + length / 2, length - length / 2, &e) ||
	    file_store_upload_end(u, filename, &e)) {
		file_store_upload_abandon(u);
		return -1;
	}
	return land(u, out);
}

static struct stored_file put(const char *owner, const char *filename, const char *text)
{
	struct stored_file out;

	accepts(put_bytes(owner, filename, text, strlen(text), &out), filename);
	return out;
}

static const char *content(const char *owner, const char *id)
{
	static char text[32768];
	struct stored_file file;
	auto_fd int fd = -1;
	ssize_t n;

	accepts(file_store_open_file(store, owner, id, &file, &fd, &hold, &e), id);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	assert_int_equal(n, file.size_bytes + sizeof(struct file_store_record));
	text[file.size_bytes] = '\0';
	file_store_hold_end(&hold);
	return text;
}

static bool is_there(const char *owner, const char *id)
{
	struct stored_file file;

	return !file_store_find(store, owner, id, &file, &e);
}

static int delete_file(const char *owner, const char *id)
{
	if (file_store_delete(store, owner, id, &e))
		return -1;
	accepts(file_store_land_names(store, &e), id);
	return 0;
}

static unsigned names_in(const char *part)
{
	auto_free char *name = own_printf("store/%s", part);
	int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fdopendir(fd);
	unsigned count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void assert_on_disk(unsigned files)
{
	assert_int_equal(names_in("files"), files);
	assert_int_equal(names_in("incoming"), 0);
	assert_int_equal(names_in("scratch"), 0);
}

static void assert_usage(const char *owner, unsigned files, uint64_t bytes)
{
	struct file_store_usage usage = file_store_usage(store, owner);

	assert_int_equal(usage.files, files);
	assert_int_equal(usage.bytes, bytes);
}

/* --- files come and go ---------------------------------------------------- */

static void test_what_was_uploaded_is_found(void **state)
{
	struct stored_file file = put("", "data.csv", "a,b\n1,2\n");
	struct stored_file found;
	unsigned fds;

	(void)state;
	assert_true(file_store_record_is_id(file.id));
	assert_string_equal(file.filename, "data.csv");
	assert_int_equal(file.size_bytes, 8);
	assert_true(file.upload_time > 1.7e9 && file.upload_time < 1e11);
	assert_string_equal(content("", file.id), "a,b\n1,2\n");
	reopen();
	accepts(file_store_find(store, "", file.id, &found, &e), file.id);
	assert_memory_equal(&found.upload_time, &file.upload_time, sizeof(double));
	assert_string_equal(found.filename, "data.csv");
	assert_string_equal(content("", file.id), "a,b\n1,2\n");
	fds = unit_count_open();
	accepts(delete_file("", file.id), file.id);
	refuses(delete_file("", file.id), file.id, ERR_NOT_FOUND, "@file_store_entry_of");
	assert_int_equal(unit_count_open(), fds);
	assert_on_disk(0);
	assert_usage(NULL, 0, 0);
}

/* However it is cut, and longer than what is written at once. */
static void test_a_file_in_pieces_of_any_length_is_what_was_sent(void **state)
{
	static char sent[100001], found[sizeof(sent)];
	static const size_t lengths[] = {1, 4095, 8192, 16383, 16384, 16385, 40000, sizeof(sent)};

	(void)state;
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct file_store_upload *u;
		struct stored_file file;
		auto_fd int fd = -1;

		accepts(file_store_upload_begin(store, "", &u, &e), "pieces");
		for (size_t at = 0; at < sizeof(sent); at += lengths[i]) {
			size_t left = sizeof(sent) - at;

			accepts(file_store_upload_take(u, sent + at,
						       left < lengths[i] ? left : lengths[i], &e),
				"pieces");
		}
		accepts(file_store_upload_end(u, "pieces", &e), "pieces");
		accepts(land(u, &file), "pieces");
		assert_int_equal(file.size_bytes, sizeof(sent));
		accepts(file_store_open_file(store, "", file.id, &file, &fd, &hold, &e), file.id);
		assert_int_equal(read(fd, found, sizeof(found)), sizeof(sent));
		file_store_hold_end(&hold);
		assert_memory_equal(found, sent, sizeof(sent));
		accepts(delete_file("", file.id), file.id);
	}
	assert_on_disk(0);
}

static void test_another_owners_files_are_not_found(void **state)
{
	struct stored_file mine = put("alice", "mine", "secret");
	const struct file_store_entry *at = NULL;
	struct stored_file file;
	char wanted[100];
	int fd = -1;

	(void)state;
	snprintf(wanted, sizeof(wanted), "@file_store_entry_of %s", mine.id);
	refuses(file_store_find(store, "bob", mine.id, &file, &e), "find", ERR_NOT_FOUND, wanted);
	refuses(file_store_open_file(store, "", mine.id, &file, &fd, &hold, &e), "open",
		ERR_NOT_FOUND, wanted);
	refuses(delete_file("bob", mine.id), "delete", ERR_NOT_FOUND, wanted);
	refuses(file_store_find(store, "bob", UNKNOWN, &file, &e), "find", ERR_NOT_FOUND,
		"@file_store_entry_of " UNKNOWN);
	assert_null(file_store_next(store, "bob", at, &file));
	assert_non_null(file_store_next(store, "alice", at, &file));
	assert_string_equal(file.owner, "alice");
	reopen();
	assert_false(is_there("bob", mine.id));
	assert_string_equal(content("alice", mine.id), "secret");
}

static void test_owner_is_bounded(void **state)
{
	struct file_store_upload *u;
	char owner[FILE_STORE_OWNER_MAX + 2];

	(void)state;
	memset(owner, 'k', sizeof(owner));
	owner[FILE_STORE_OWNER_MAX + 1] = '\0';
	refuses(file_store_upload_begin(store, owner, &u, &e), owner, ERR_INPUT, "owner");
	refuses(file_store_upload_begin(store, "\xff", &u, &e), "bytes", ERR_INPUT, "owner");
	owner[FILE_STORE_OWNER_MAX] = '\0';
	put(owner, "x", "y");
	reopen();
	assert_usage(owner, 1, 1);
}

static void test_equal_contents_are_files_of_their_own(void **state)
{
	struct stored_file first = put("alice", "a", "the same");
	struct stored_file second = put("alice", "b", "the same");
	struct stored_file third = put("bob", "c", "the same");

	(void)state;
	assert_string_not_equal(first.id, second.id);
	assert_on_disk(3);
	for (int i = 0; i < 2; i++, reopen()) {
		assert_usage("alice", 2, 16);
		assert_usage("bob", 1, 8);
		assert_usage(NULL, 3, 24);
	}
	accepts(delete_file("alice", first.id), "first");
	accepts(delete_file("bob", third.id), "third");
	assert_usage("bob", 0, 0);
	assert_string_equal(content("alice", second.id), "the same");
	accepts(delete_file("alice", second.id), "second");
	assert_on_disk(0);
	assert_usage(NULL, 0, 0);
}

static void test_empty_file(void **state)
{
	struct stored_file file = put("", "empty", "");

	(void)state;
	assert_string_equal(content("", file.id), "");
	reopen();
	assert_string_equal(content("", file.id), "");
	assert_usage("", 1, 0);
}

static void test_list_is_sorted_by_time(void **state)
{
	const struct file_store_entry *at = NULL;
	struct stored_file files[6];
	struct stored_file file;
	unsigned count = 0;

	(void)state;
	for (int i = 0; i < 6; i++)
		files[i] = put(i % 2 ? "odd" : "even", "x", i < 3 ? "low" : "high");
	for (int again = 0; again < 2; again++, reopen()) {
		count = 0;
		while ((at = file_store_next(store, "odd", at, &file))) {
			assert_string_equal(file.id, files[2 * count + 1].id);
			count++;
		}
		assert_int_equal(count, 3);
	}
}

/* --- ids and names -------------------------------------------------------- */

static void test_ids_are_matched_strictly(void **state)
{
	struct stored_file file = put("", "x", "y");
	char upper[FILE_STORE_ID_SIZE];
	char longer[FILE_STORE_ID_SIZE + 1];
	const char *const ids[] = {
		"",
		"x",
		"/etc/passwd",
		"../lock",
		"../../../../../../etc/passwd.......",
		".",
		"..",
		"lock",
		"00000000-0000-4000-8000-00000000000",
		"00000000-0000-4000-8000-00000000000g",
		"00000000-0000-4000-8000-00000000000/",
		"00000000/0000-4000-8000-000000000000",
		"00000000-0000-4000-8000-00000000000\n",
		"000000000000-4000-8000-000000000000-",
		"................................../.",
		"%2e%2e%2f",
		UNKNOWN,
		upper,
		longer,
	};
	struct stored_file out;
	int fd = -1;

	(void)state;
	snprintf(longer, sizeof(longer), "%s0", file.id);
	snprintf(upper, sizeof(upper), "%s", file.id);
	for (char *p = upper; *p; p++)
		*p = *p >= 'a' ? (char)(*p - 32) : *p;
	for (size_t i = 0; i < COUNT(ids) - !strcmp(upper, file.id); i++) {
		refuses(file_store_find(store, "", ids[i], &out, &e), ids[i], ERR_NOT_FOUND,
			ids[i]);
		refuses(file_store_open_file(store, "", ids[i], &out, &fd, &hold, &e), ids[i],
			ERR_NOT_FOUND, "@file_store_entry_of");
		refuses(delete_file("", ids[i]), ids[i], ERR_NOT_FOUND, "@file_store_entry_of");
	}
	assert_int_equal(fd, -1);
	assert_true(is_there("", file.id));
}

static void test_new_ids_are_version_4_and_differ(void **state)
{
	char last[FILE_STORE_ID_SIZE] = "";

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char id[FILE_STORE_ID_SIZE];

		file_store_record_new_id(id);
		assert_true(file_store_record_is_id(id));
		assert_int_equal(id[14], '4');
		assert_non_null(strchr("89ab", id[19]));
		assert_string_not_equal(id, last);
		strcpy(last, id);
	}
}

static void test_names_are_made_harmless(void **state)
{
	static const struct {
		const char *sent;
		size_t length;
		const char *kept;
	} names[] = {
		{"a.txt",                    5,  "a.txt"                               },
		{"",			 0,  "unnamed"                             },
		{NULL,		       0,  "unnamed"                             },
		{"dir/../a b.txt",           14, "dir/../a b.txt"                      },
		{"a\r\nSet-Cookie: x",       16, "a__Set-Cookie: x"                    },
		{"a\0b",                     3,  "a_b"				 },
		{"\xff\xfe",                 2,  "\xef\xbf\xbd\xef\xbf\xbd"            },
		{"\xed\xa0\x80",             3,  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf0\x9f\x98\x80.png",     8,  "\xf0\x9f\x98\x80.png"                },
		{"\xc2\x85\xe2\x80\xa8\x7f", 6,  "___"                                 },
		{"\xef\xbf\xbd",             3,  "\xef\xbf\xbd"                        },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char kept[FILE_STORE_NAME_MAX + 1];

		file_store_name_clean(names[i].sent, names[i].length, kept);
		assert_string_equal(kept, names[i].kept);
	}
}

static void test_long_name_is_cut_between_characters(void **state)
{
	char sent[600];
	char kept[FILE_STORE_NAME_MAX + 1];

	(void)state;
	memset(sent, 'x', sizeof(sent));
	file_store_name_clean(sent, sizeof(sent), kept);
	assert_int_equal(strlen(kept), 255);
	for (size_t i = 0; i < sizeof(sent); i += 4)
		memcpy(sent + i, "\xf0\x9f\x98\x80", 4);
	file_store_name_clean(sent, sizeof(sent), kept);
	assert_int_equal(strlen(kept), 252);
	memset(sent, 0xff, sizeof(sent));
	file_store_name_clean(sent, sizeof(sent), kept);
	assert_int_equal(strlen(kept), 255);
}

static void test_names_in_headers(void **state)
{
	static const char *const names[][2] = {
		{"a b.txt",               "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"      },
		{"a\"; x=\"y",
		 "attachment; filename=\"a_; x=_y\"; filename*=UTF-8''a%22%3B%20x%3D%22y"                     },
		{"a\r\nX: y",             "attachment; filename=\"a__X: y\"; filename*=UTF-8''a%0D%0AX%3A%20y"},
		{"out/sub/p\xc3\xa4.png",
		 "attachment; filename=\"p_.png\"; filename*=UTF-8''p%C3%A4.png"                              },
		{"\xf0\x9f\x98\x80",      "attachment; filename=\"_\"; filename*=UTF-8''%F0%9F%98%80"         },
		{"100%\\x",               "attachment; filename=\"100__x\"; filename*=UTF-8''100%25%5Cx"      },
		{"..",                    "attachment; filename=\"unnamed\"; filename*=UTF-8''unnamed"        },
		{"a/",                    "attachment; filename=\"unnamed\"; filename*=UTF-8''unnamed"        },
	};
	char longest[FILE_STORE_NAME_MAX + 1];
	char header[FILE_STORE_HEADER_SIZE];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		file_store_name_for_header(names[i][0], header);
		assert_string_equal(header, names[i][1]);
	}
	memset(longest, '"', FILE_STORE_NAME_MAX);
	longest[FILE_STORE_NAME_MAX] = '\0';
	file_store_name_for_header(longest, header);
	assert_int_equal(strlen(header), strlen("attachment; filename=\"\"; filename*=UTF-8''") +
						 4 * FILE_STORE_NAME_MAX);
}

/* --- limits --------------------------------------------------------------- */

static void test_file_that_is_too_large(void **state)
{
	struct file_store_limits ten = {.file_bytes = 10};
	struct stored_file file;
	struct file_store_upload *u;

	(void)state;
	set(ten);
	accepts(put_bytes("", "x", "0123456789", 10, &file), "ten bytes");
	refuses(put_bytes("", "x", "0123456789a", 11, &file), "eleven", ERR_LIMIT,
		"@file_store_charge_check_size 0");
	assert_int_equal(e.number, EFBIG);
	accepts(file_store_upload_begin(store, "", &u, &e), "lowered meanwhile");
	accepts(file_store_upload_take(u, "01234567", 8, &e), "lowered meanwhile");
	set((struct file_store_limits){.file_bytes = 5});
	refuses(file_store_upload_take(u, "8", 1, &e), "lowered", ERR_LIMIT,
		"@file_store_charge_check_size");
	refuses(file_store_upload_end(u, "x", &e), "after an error", ERR_INPUT, "failed");
	file_store_upload_abandon(u);
	assert_on_disk(1);
	assert_usage("", 1, 10);
}

static struct file_store_most most_of_each(const void *context, const char *owner)
{
	(void)owner;
	return *(const struct file_store_most *)context;
}

static struct file_store_limits each_owner(uint64_t bytes, uint64_t files)
{
	static struct file_store_most most;

	most = (struct file_store_most){bytes, files};
	return (struct file_store_limits){.owner_most = most_of_each, .context = &most};
}

static void test_quota_of_an_owner(void **state)
{
	struct stored_file first;
	struct stored_file file;

	(void)state;
	set(each_owner(10, UINT64_MAX));
	first = put("alice", "a", "sixsix");
	refuses(put_bytes("alice", "b", "sixsi2", 6, &file), "over", ERR_LIMIT, "quota");
	assert_int_equal(e.number, EDQUOT);
	refuses(put_bytes("alice", "b", "sixsix", 6, &file), "equal", ERR_LIMIT, "quota");
	put("alice", "b", "four");
	put("bob", "a", "sixsixfour");
	reopen();
	refuses(put_bytes("alice", "c", "1", 1, &file), "after a restart", ERR_LIMIT, "quota");
	put("alice", "c", "");
	accepts(delete_file("alice", first.id), "first");
	put("alice", "b", "sixsi2");
	assert_usage("alice", 3, 10);
}

static struct file_store_most most_of(const void *context, const char *owner)
{
	return (struct file_store_most){!strcmp(owner, context) ? 5 : UINT64_MAX,
					!strcmp(owner, "carol") ? 1 : UINT64_MAX};
}

static void test_owners_with_quotas_of_their_own(void **state)
{
	struct stored_file file;

	(void)state;
	set((struct file_store_limits){.owner_most = most_of, .context = "alice"});
	put("alice", "a", "four");
	refuses(put_bytes("alice", "b", "22", 2, &file), "over", ERR_LIMIT, "quota");
	put("bob", "a", "sixsix");
	put("carol", "a", "1");
	refuses(put_bytes("carol", "b", "1", 1, &file), "a second one", ERR_LIMIT,
		"number of files");
}

static void test_total_quota(void **state)
{
	struct stored_file file;

	(void)state;
	set((struct file_store_limits){.total_bytes = 18});
	put("alice", "a", "sixsix");
	put("alice", "b", "sixsix");
	put("carol", "a", "sixsix");
	refuses(put_bytes("dave", "a", "1", 1, &file), "over", ERR_LIMIT, "everybody");
	assert_int_equal(e.number, EDQUOT);
	assert_usage("dave", 0, 0);
	assert_usage(NULL, 3, 18);
}

static void test_number_of_files(void **state)
{
	struct file_store_upload *u;
	struct file_store_upload *more;

	(void)state;
	limits = each_owner(UINT64_MAX, 2);
	limits.total_files = 3;
	set(limits);
	put("alice", "a", "1");
	accepts(file_store_upload_begin(store, "alice", &u, &e), "second");
	refuses(file_store_upload_begin(store, "alice", &more, &e), "third", ERR_LIMIT,
		"number of files");
	assert_int_equal(e.number, EDQUOT);
	put("bob", "a", "1");
	refuses(file_store_upload_begin(store, "bob", &more, &e), "of all", ERR_LIMIT,
		"as many files");
	file_store_upload_abandon(u);
	put("bob", "b", "1");
	assert_usage(NULL, 3, 3);
}

static void test_uploads_at_the_same_time_share_a_quota(void **state)
{
	struct file_store_upload *one;
	struct file_store_upload *other;
	struct stored_file file;

	(void)state;
	set(each_owner(10, UINT64_MAX));
	accepts(file_store_upload_begin(store, "", &one, &e), "one");
	accepts(file_store_upload_begin(store, "", &other, &e), "other");
	accepts(file_store_upload_take(one, "sixsix", 6, &e), "one");
	refuses(file_store_upload_take(other, "sixsix", 6, &e), "other", ERR_LIMIT, "quota");
	refuses(file_store_upload_take(other, "", 0, &e), "other", ERR_INPUT, "failed");
	file_store_upload_abandon(other);
	file_store_upload_abandon(NULL);
	assert_usage("", 1, 6);
	accepts(file_store_upload_end(one, NULL, &e), "one");
	assert_usage("", 1, 6);
	accepts(land(one, &file), "one");
	assert_string_equal(file.filename, "unnamed");
	assert_usage("", 1, 6);
	assert_on_disk(1);
}

static void write_in(const char *part, const char *name, const char *text)
{
	auto_free char *file = own_printf("store/%s/%s", part, name);

	unit_write(base, file, text, strlen(text));
}

/* A file as the store writes it, whatever its record says. */
static void write_file_of(struct stored_file file, const char *text)
{
	auto_free char *name = own_printf("store/files/%s", file.id);
	auto_buf struct buf bytes = {0};
	struct file_store_record record;

	file_store_record_fill(&file, &record);
	buf_text(&bytes, text);
	buf_add(&bytes, &record, sizeof(record));
	unit_write(base, name, bytes.data, bytes.length);
}

/* --- time to live --------------------------------------------------------- */

static void test_sweep_deletes_what_is_too_old(void **state)
{
	struct stored_file old = put("alice", "old", "old");
	struct stored_file file;
	auto_fd int fd = -1;
	char byte;

	(void)state;
	set((struct file_store_limits){.ttl_s = 3600});
	accepts(file_store_open_file(store, "alice", old.id, &file, &fd, &hold, &e),
		"open in a run");
	assert_int_equal(file_store_sweep(store, old.upload_time + 3599), 0);
	assert_true(is_there("alice", old.id));
	assert_int_equal(file_store_sweep(store, old.upload_time + 3600), 1);
	assert_false(is_there("alice", old.id));
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_on_disk(0);
	assert_usage("alice", 0, 3); /* the disk has it until it is closed */
	assert_usage(NULL, 0, 3);
	put("alice", "new", "old");
	file_store_hold_end(&hold);
	assert_usage("alice", 1, 3);
	file_store_hold_end(&hold); /* safe */
	assert_usage(NULL, 1, 3);
}

static void test_sweep_is_bounded_and_goes_on(void **state)
{
	struct stored_file last;

	(void)state;
	for (int i = 0; i < FILE_STORE_SWEEP_MOST + 3; i++)
		last = put("", "x", i % 2 ? "one" : "two");
	assert_int_equal(file_store_sweep(store, last.upload_time + 1e9), 0);
	set((struct file_store_limits){.ttl_s = 1});
	assert_int_equal(file_store_sweep(store, last.upload_time + 2), FILE_STORE_SWEEP_MOST);
	assert_on_disk(3);
	assert_int_equal(file_store_sweep(store, last.upload_time + 2), 3);
	assert_on_disk(0);
}

static void test_file_from_the_future_does_not_live_for_ever(void **state)
{
	struct stored_file file = put("", "x", "y");

	(void)state;
	file.upload_time += 1e8;
	write_file_of(file, "y");
	limits.ttl_s = 3600;
	reopen();
	assert_int_equal(file_store_sweep(store, (double)time(NULL) + 3700), 1);
}

/* --- outputs of runs ------------------------------------------------------ */

static void test_output_is_adopted(void **state)
{
	struct file_store_upload *uploads[2];
	struct stored_file file;
	char scratch[FILE_STORE_SCRATCH_SIZE];
	int fd;

	(void)state;
	accepts(file_store_scratch(store, &fd, scratch, &e), "scratch");
	unit_write(fd, "0", "figure", 6);
	unit_write(fd, "1", "figure", 6);
	unit_write(fd, "2", "left", 4);
	assert_int_equal(mkdirat(fd, "3", 0700), 0);
	accepts(file_store_adopt(store, "", fd, "0", "plots/a.png", &uploads[0], &e), "0");
	accepts(file_store_adopt(store, "", fd, "1", "b.png", &uploads[1], &e), "1");
	file = *file_store_upload_file(uploads[0]);
	assert_string_equal(file.filename, "plots/a.png");
	assert_int_equal(faccessat(fd, "0", F_OK, 0), -1);
	assert_int_equal(faccessat(fd, "1", F_OK, 0), -1);
	file_store_scratch_end(store, &fd, scratch);
	accepts(file_store_land(store, uploads, 2, &e), "both");
	accepts(file_store_land_names(store, &e), "both");
	assert_false(is_there("", file.id));
	assert_null(file_store_next(store, "", NULL, &file));
	file_store_upload_keep(uploads[1]); /* in any order */
	file_store_upload_keep(uploads[0]);
	assert_string_equal(content("", file.id), "figure");
	assert_on_disk(2);
	reopen();
	assert_string_equal(content("", file.id), "figure");
	assert_usage("", 2, 12);
}

static void test_directory_that_nothing_was_left_in_is_the_next_one(void **state)
{
	char first[FILE_STORE_SCRATCH_SIZE];
	char second[FILE_STORE_SCRATCH_SIZE];
	char third[FILE_STORE_SCRATCH_SIZE];
	int fds[3];

	(void)state;
	accepts(file_store_scratch(store, &fds[0], first, &e), "first");
	accepts(file_store_scratch(store, &fds[1], second, &e), "second");
	assert_string_not_equal(first, second);
	file_store_scratch_end(store, &fds[0], first);
	file_store_scratch_end(store, &fds[1], second); /* one is enough */
	assert_int_equal(fds[0], -1);
	assert_int_equal(fds[1], -1);
	assert_int_equal(names_in("scratch"), 1);
	accepts(file_store_scratch(store, &fds[2], third, &e), "third");
	assert_string_equal(third, first);
	unit_write(fds[2], "left", "left", 4);
	file_store_scratch_end(store, &fds[2], third);
	assert_int_equal(names_in("scratch"), 0);
	accepts(file_store_scratch(store, &fds[0], second, &e), "fourth");
	assert_string_not_equal(second, first);
	file_store_scratch_end(store, &fds[0], second);
	reopen();
	assert_int_equal(names_in("scratch"), 0);
}

static void test_directory_that_somebody_removes_is_made_again(void **state)
{
	char first[FILE_STORE_SCRATCH_SIZE];
	char second[FILE_STORE_SCRATCH_SIZE];
	auto_free char *path_of_it = NULL;
	int fd;

	(void)state;
	accepts(file_store_scratch(store, &fd, first, &e), "first");
	file_store_scratch_end(store, &fd, first);
	path_of_it = own_printf("store/scratch/%s", first);
	assert_int_equal(unlinkat(base, path_of_it, AT_REMOVEDIR), 0);
	accepts(file_store_scratch(store, &fd, second, &e), "second");
	unit_write(fd, "0", "whole", 5);
	file_store_scratch_end(store, &fd, second);
	assert_int_equal(names_in("scratch"), 0);
}

static void test_a_file_counts_a_block_at_least(void **state)
{
	struct file_store_upload *u;
	struct stored_file file;

	(void)state;
	limits = each_owner(25, UINT64_MAX);
	limits.least_bytes = 10;
	set(limits);
	put("alice", "a", "1");
	assert_usage("alice", 1, 10);
	accepts(file_store_upload_begin(store, "alice", &u, &e), "its block is charged first");
	assert_usage("alice", 2, 20);
	refuses(put_bytes("alice", "c", "1", 1, &file), "a third", ERR_LIMIT, "quota");
	accepts(file_store_upload_take(u, "eight...", 8, &e), "within the block");
	assert_usage("alice", 2, 20);
	accepts(file_store_upload_take(u, "seven..", 7, &e), "beyond it");
	assert_usage("alice", 2, 25);
	refuses(file_store_upload_take(u, "1", 1, &e), "a byte more", ERR_LIMIT, "quota");
	file_store_upload_abandon(u);
	assert_usage("alice", 1, 10);
	reopen();
	assert_usage(NULL, 1, 10);
}

static void test_bytes_that_are_held(void **state)
{
	struct file_store_hold one = {0};
	struct file_store_hold other = {0};
	struct stored_file file;

	(void)state;
	limits = each_owner(10, UINT64_MAX);
	limits.total_bytes = 15;
	set(limits);
	put("alice", "a", "four");
	accepts(file_store_hold(store, "alice", 3, &one, &e), "some");
	accepts(file_store_hold(store, "alice", 2, &one, &e), "more");
	assert_int_equal(one.bytes, 5);
	assert_usage("alice", 1, 9);
	refuses(put_bytes("alice", "b", "22", 2, &file), "for now", ERR_BUSY, "not over");
	refuses(file_store_hold(store, "alice", 7, &other, &e), "never", ERR_LIMIT, "quota");
	accepts(file_store_hold_left(store, "alice", 100, 0, &other, &e), "the rest");
	assert_int_equal(other.bytes, 1);
	file_store_hold_end(&other);
	accepts(file_store_hold_left(store, "alice", 100, 4, &other, &e), "beyond the quota");
	assert_int_equal(other.bytes, 5);
	file_store_hold_end(&other);
	assert_true(file_store_holds(store, "alice"));
	accepts(file_store_hold_left(store, "bob", 100, 0, &other, &e), "within that of all");
	assert_int_equal(other.bytes, 6);
	refuses(put_bytes("carol", "b", "1", 1, &file), "of all", ERR_LIMIT, "everybody");
	file_store_hold_cut(&other, 2);
	file_store_hold_cut(&other, 3); /* never more */
	assert_usage("bob", 0, 2);
	put("carol", "b", "1");
	file_store_hold_end(&one);
	file_store_hold_end(&other);
	assert_false(file_store_holds(store, "alice"));
	assert_usage(NULL, 2, 5);
}

/* Whether it is complete, lies in files/ already, or a child is about to put it there. */
static void test_what_is_abandoned_is_nowhere(void **state)
{
	struct file_store_upload *u;

	(void)state;
	for (int landed = 0; landed < 3; landed++) {
		accepts(file_store_upload_begin(store, "", &u, &e), "begin");
		accepts(file_store_upload_take(u, "text", 4, &e), "take");
		if (landed)
			accepts(file_store_upload_end(u, "x", &e), "end");
		if (landed == 2)
			accepts(file_store_land(store, &u, 1, &e), "land");
		assert_int_equal(names_in("incoming"), landed < 2);
		assert_int_equal(names_in("files"), landed == 2);
		assert_usage("", 1, 4);
		file_store_upload_abandon(u);
		assert_usage("", 0, 0);
		assert_on_disk(0);
	}
}

/* The others of its batch become files. */
static void test_child_skips_what_was_abandoned_meanwhile(void **state)
{
	struct file_store_upload *uploads[2];
	auto_free char *gone = NULL;

	(void)state;
	for (size_t count = 1; count <= 2; count++) {
		for (size_t i = 0; i < count; i++) {
			accepts(file_store_upload_begin(store, "", &uploads[i], &e), "begin");
			accepts(file_store_upload_end(uploads[i], "x", &e), "end");
		}
		own_free(&gone);
		gone = own_printf("store/incoming/%s", file_store_upload_file(uploads[0])->id);
		assert_int_equal(unlinkat(base, gone, 0), 0);
		accepts(file_store_land(store, uploads, count, &e), "the others");
		file_store_upload_abandon(uploads[0]);
	}
	file_store_upload_keep(uploads[1]);
	assert_on_disk(1);
}

static void test_upload_that_cannot_be_put_into_place_is_told(void **state)
{
	struct stored_file file;

	(void)state;
	assert_int_equal(unlinkat(base, "store/files", AT_REMOVEDIR), 0);
	refuses(put_bytes("", "x", "y", 1, &file), "files/ is gone", ERR_SYSTEM, "place");
	assert_int_equal(names_in("incoming"), 0);
	assert_usage("", 0, 0);
}

static void test_what_is_no_output_is_refused(void **state)
{
	static const char *const names[] = {"link", "directory", "fifo", "two",
					    "gone", "a/b",       ".."};
	struct file_store_upload *u;
	char scratch[FILE_STORE_SCRATCH_SIZE];
	int fd;

	(void)state;
	accepts(file_store_scratch(store, &fd, scratch, &e), "scratch");
	unit_write(fd, "file", "x", 1);
	assert_int_equal(symlinkat("file", fd, "link"), 0);
	assert_int_equal(mkdirat(fd, "directory", 0700), 0);
	assert_int_equal(mkfifoat(fd, "fifo", 0600), 0);
	unit_write(fd, "one", "x", 1);
	assert_int_equal(linkat(fd, "one", fd, "two", 0), 0);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(file_store_adopt(store, "", fd, names[i], "x", &u, &e), -1);
	refuses(file_store_adopt(store, "\xff", fd, "file", "x", &u, &e), "owner", ERR_INPUT,
		"owner");
	limits = each_owner(1, UINT64_MAX);
	limits.file_bytes = 5;
	set(limits);
	unit_write(fd, "two bytes", "xx", 2);
	refuses(file_store_adopt(store, "", fd, "two bytes", "x", &u, &e), "quota", ERR_LIMIT,
		"quota");
	unit_write(fd, "six bytes", "sixsix", 6);
	refuses(file_store_adopt(store, "", fd, "six bytes", "x", &u, &e), "size", ERR_LIMIT,
		"@file_store_charge_check_size");
	file_store_scratch_end(store, &fd, scratch);
	assert_usage(NULL, 0, 0);
	assert_on_disk(0);
}

/* --- at start ------------------------------------------------------------- */

/* What the next start says on stderr. */
static const char *said_at_start(void)
{
	int saved = dup(STDERR_FILENO);
	int fd = openat(base, "said", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	reopen();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd);
	return unit_read(base, "said");
}

static void test_quiet_start(void **state)
{
	(void)state;
	put("", "x", "y");
	assert_string_equal(said_at_start(), "");
}

/* A store of before, with contents in objects/ and records in JSON, is emptied. */
static void test_leftovers_are_removed_and_foreign_files_ignored(void **state)
{
	struct stored_file kept = put("", "kept", "kept");
	struct stored_file other = kept;
	const char *said;

	(void)state;
	file_store_close(store);
	store = NULL;
	write_in("incoming", "half", "half");
	assert_int_equal(mkdirat(base, "store/scratch/run", 0700), 0);
	write_in("scratch", "run/output", "x");
	assert_int_equal(mkdirat(base, "store/objects", 0700), 0);
	write_in("objects", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		 "o");
	write_in("files", "notes.txt", "foreign");
	write_in("files", "11111111-1111-4111-8111-111111111111", "{\"file_id\":");
	write_in("files", "22222222-2222-4222-8222-222222222222", "");
	assert_int_equal(
		symlinkat("../../said", base, "store/files/44444444-4444-4444-8444-444444444444"),
		0);
	assert_int_equal(mkfifoat(base, "store/files/55555555-5555-4555-8555-555555555555", 0600),
			 0);
	assert_int_equal(mkdirat(base, "store/files/66666666-6666-4666-8666-666666666666", 0700),
			 0);
	strcpy(other.id, "77777777-7777-4777-8777-777777777777");
	write_file_of(other, "cut"); /* its size is not that of its record */
	strcpy(other.id, "88888888-8888-4888-8888-888888888888");
	strcpy(other.owner, "\xff");
	write_file_of(other, "kept");
	said = said_at_start();
	assert_non_null(strstr(said, "2 unfinished, 6 incomplete; ignored 2 foreign names\n"));
	assert_int_equal(strcspn(said, "\n"), strlen(said) - 1);
	assert_string_equal(content("", kept.id), "kept");
	assert_usage(NULL, 1, 4);
	assert_on_disk(3);
	assert_int_equal(faccessat(base, "store/objects", F_OK, 0), -1);
	assert_non_null(strstr(said_at_start(), ": 0 unfinished, 0 incomplete; ignored 2 foreign"));
}

static void test_objects_that_are_not_of_a_store_stay(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(base, "other", 0700), 0);
	assert_int_equal(mkdirat(base, "other/objects", 0700), 0);
	snprintf(path, sizeof(path), "%s/other", unit_directory);
	reopen();
	assert_int_equal(faccessat(base, "other/objects", F_OK, 0), 0);
}

static void test_records_that_lie_are_refused(void **state)
{
	const struct stored_file file = {.owner = "key", .filename = "a", .size_bytes = 4};
	struct file_store_record good, bad;
	struct stored_file out;
	const uint64_t bytes = 4 + sizeof(good);

	(void)state;
	file_store_record_fill(&file, &good);
	accepts(file_store_record_read(&good, bytes, &out, &e), "good");
	assert_string_equal(out.owner, "key");
	refuses(file_store_record_read(&good, bytes - 1, &out, &e), "cut", ERR_INPUT, "record");
	refuses(file_store_record_read(&good, 4, &out, &e), "no room", ERR_INPUT, "record");
	bad = good;
	bad.mark[0] = 'G';
	refuses(file_store_record_read(&bad, bytes, &out, &e), "mark", ERR_INPUT, "record");
	bad = good;
	bad.upload_time = 0.0 / 0.0;
	refuses(file_store_record_read(&bad, bytes, &out, &e), "time", ERR_INPUT, "record");
	bad = good;
	memset(bad.owner, 'k', sizeof(bad.owner)); /* without an end */
	refuses(file_store_record_read(&bad, bytes, &out, &e), "owner", ERR_INPUT, "record");
	bad = good;
	memset(bad.filename, '\n', sizeof(bad.filename));
	accepts(file_store_record_read(&bad, bytes, &out, &e), "a name is made harmless");
	assert_int_equal(strspn(out.filename, "_"), FILE_STORE_NAME_MAX);
}

static void test_file_that_cannot_be_read_at_the_moment_stays(void **state)
{
	struct stored_file file = put("", "x", "precious");
	auto_free char *record = own_printf("store/files/%s", file.id);
	auto_fd int fd = openat(base, record, O_RDWR | O_CLOEXEC);

	(void)state;
	signal(SIGIO, SIG_IGN); /* our lease is to be broken */
	assert_int_equal(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
	assert_true(message_is(said_at_start(), "@file_store_load_say#some"));
	assert_usage(NULL, 0, 0);
	assert_on_disk(1);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
	assert_string_equal(said_at_start(), "");
	assert_string_equal(content("", file.id), "precious");
}

static void test_start_with_10000_files(void **state)
{
	struct stored_file file = {.owner = "key", .filename = "report.csv", .size_bytes = 8};
	uint64_t begin;
	clock_t cpu;

	(void)state;
	file_store_close(store);
	store = NULL;
	for (unsigned i = 0; i < 10000; i++) {
		file_store_record_new_id(file.id);
		file.upload_time = 1.79e9 - i;
		write_file_of(file, "8 bytes.");
	}
	begin = monotonic_us();
	cpu = clock();
	reopen();
	printf("10,000 files: the start takes %.1f ms, %.1f ms of CPU\n",
	       (double)(monotonic_us() - begin) / 1e3,
	       (double)(clock() - cpu) * 1e3 / CLOCKS_PER_SEC);
	assert_usage("key", 10000, 80000);
	assert_usage(NULL, 10000, 80000);
	limits.ttl_s = 1;
	file_store_set_limits(store, &limits);
	assert_non_null(file_store_next(store, "key", NULL, &file));
	assert_true(file.upload_time == 1.79e9 - 9999);
}

static void test_directory_must_be_ours_alone(void **state)
{
	char shared[300];
	struct file_store *other;

	(void)state;
	snprintf(shared, sizeof(shared), "%s/shared", unit_directory);
	assert_int_equal(mkdir(shared, 0700), 0);
	assert_int_equal(chmod(shared, 0777), 0);
	refuses(file_store_open(shared, &limits, &other, &e), shared, ERR_INPUT,
		"@private_dir_open_at#must");
	assert_int_equal(symlinkat("store", base, "link"), 0);
	snprintf(shared, sizeof(shared), "%s/link", unit_directory);
	refuses(file_store_open(shared, &limits, &other, &e), shared, ERR_SYSTEM, "open");
	snprintf(shared, sizeof(shared), "%s/a/b", unit_directory);
	refuses(file_store_open(shared, &limits, &other, &e), shared, ERR_SYSTEM, "a/b");
}

static void test_second_process_is_refused(void **state)
{
	struct file_store *other = NULL;
	char busy[400];
	int status;
	pid_t child;

	(void)state;
	snprintf(busy, sizeof(busy), "@file_store_lock#process %s ... %d", path, (int)getpid());
	child = fork();
	if (!child)
		_exit(file_store_open(path, &limits, &other, &e) && e.kind == ERR_BUSY &&
				      message_is(e.text, busy)
			      ? 0
			      : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	put("", "x", "y"); /* nothing was swept by it */
	assert_on_disk(1);
}

/* --- killed at any moment ------------------------------------------------- */

struct acknowledged {
	enum { UPLOADED, SHORT, ADOPTED, DELETED, ACKNOWLEDGED } what;
	char id[FILE_STORE_ID_SIZE];
};

/* Longer than what is written at once (file_store_upload.c). */
static char uploaded[20000];
static const char *const acknowledged_text[ACKNOWLEDGED] = {
	[UPLOADED] = uploaded, [SHORT] = "kept", [ADOPTED] = "adopted"};

static struct stored_file kept;
static struct stored_file deleted;

static void must(bool good)
{
	if (!good)
		_exit(1);
}

static void acknowledge(int fd, int what, const char *id)
{
	struct acknowledged a = {.what = what};

	strcpy(a.id, id);
	must(write(fd, &a, sizeof(a)) == sizeof(a));
}

static void live_upload(int fd, int what)
{
	enum { PIECE = 7000 };
	const char *text = acknowledged_text[what];
	const size_t length = strlen(text);
	struct file_store_upload *u;
	struct stored_file file;

	must(!file_store_upload_begin(store, "key", &u, &e));
	for (size_t at = 0; at < length; at += PIECE)
		must(!file_store_upload_take(u, text + at,
					     length - at < PIECE ? length - at : PIECE, &e));
	must(!file_store_upload_end(u, "sent", &e));
	must(!land(u, &file));
	acknowledge(fd, what, file.id);
}

static void live_adopt(int fd)
{
	char name[FILE_STORE_SCRATCH_SIZE];
	struct file_store_upload *uploads[2];
	int scratch;

	must(!file_store_scratch(store, &scratch, name, &e));
	unit_write(scratch, "0", "adopted", 7);
	unit_write(scratch, "1", "adopted", 7);
	unit_write(scratch, "2", "left", 4);
	must(!file_store_adopt(store, "key", scratch, "0", "plot.png", &uploads[0], &e));
	must(!file_store_adopt(store, "key", scratch, "1", "plot2.png", &uploads[1], &e));
	must(!file_store_land(store, uploads, 2, &e) && !file_store_land_names(store, &e));
	acknowledge(fd, ADOPTED, file_store_upload_file(uploads[0])->id);
	file_store_upload_keep(uploads[0]);
	file_store_upload_keep(uploads[1]);
	file_store_scratch_end(store, &scratch, name);
}

static void live_delete(int fd)
{
	must(!file_store_delete(store, "key", deleted.id, &e));
	must(!file_store_land_names(store, &e));
	acknowledge(fd, DELETED, deleted.id);
}

/* The life of a serve, traced; it tells what it acknowledges. */
static void live(int fd)
{
	must(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	raise(SIGSTOP);
	must(!file_store_open(path, &limits, &store, &e));
	live_upload(fd, UPLOADED);
	live_upload(fd, SHORT);
	live_adopt(fd);
	live_delete(fd);
	_exit(0);
}

/* An empty store with two files. */
static void prepare(void)
{
	leave(NULL);
	enter_memory(NULL);
	memset(uploaded, 'u', sizeof(uploaded) - 1);
	kept = put("key", "kept", "kept");
	deleted = put("key", "deleted", "deleted");
	file_store_close(store);
	store = NULL;
}

static void assert_acknowledged(const struct acknowledged *a)
{
	if (a->what == DELETED)
		assert_false(is_there("key", a->id));
	else
		assert_string_equal(content("key", a->id), acknowledged_text[a->what]);
}

/* Each file that is there is whole, nothing else is on the disk, and the sums are those of both. */
static void assert_whole(void)
{
	const char *const contents[] = {uploaded, "kept", "adopted", "deleted"};
	const struct file_store_entry *at = NULL;
	struct stored_file file;
	uint64_t owned = 0;
	unsigned count = 0;

	for (; (at = file_store_next(store, "key", at, &file)); count++) {
		const char *text = content("key", file.id);
		size_t known = 0;

		while (known < COUNT(contents) && strcmp(text, contents[known]) != 0)
			known++;
		assert_int_not_equal(known, COUNT(contents));
		owned += file.size_bytes;
	}
	assert_usage("key", count, owned);
	assert_usage(NULL, count, owned);
	assert_on_disk(count);
}

/*
 * Let it live for so many system calls, then kill it, before or after the last of them. Returns
 * whether it came so far.
 */
static bool live_until(int fd, unsigned stops)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		live(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	for (unsigned i = 0; i < stops && WIFSTOPPED(status); i++) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return false;
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	return true;
}

static bool can_trace(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		must(!ptrace(PTRACE_TRACEME, 0, NULL, NULL));
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && !status;
}

static void test_killed_at_each_system_call_it_loses_nothing(void **state)
{
	bool alive = true;
	unsigned stops;
	unsigned all = 0;

	(void)state;
	needs_no_valgrind("this takes minutes");
	if (!can_trace()) {
		printf("cannot: no process can be traced here\n");
		skip();
	}
	for (stops = 0; alive; stops++) {
		struct acknowledged a;
		int fds[2];

		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		prepare();
		alive = live_until(fds[1], stops);
		close(fds[1]);
		said_at_start();
		assert_string_equal(content("key", kept.id), "kept");
		for (all = 0; read(fds[0], &a, sizeof(a)) == sizeof(a); all++)
			assert_acknowledged(&a);
		close(fds[0]);
		assert_whole();
	}
	assert_int_equal(all, ACKNOWLEDGED);
	printf("killed at %u moments\n", stops - 1);
}

/* A power failure cannot be had here: instead, what is on the disk before what. */
static void test_disk_has_everything_before_it_is_acknowledged(void **state)
{
	char order[64] = "";
	size_t length = 0;
	int fds[2];
	int status;
	pid_t child;

	(void)state;
	if (!can_trace()) {
		printf("cannot: no process can be traced here\n");
		skip();
	}
	prepare();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	child = fork();
	if (!child)
		live(fds[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(
		ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL),
		0);
	while (WIFSTOPPED(status)) {
		struct __ptrace_syscall_info info = {0};

		assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFSTOPPED(status) ||
		    ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) <= 0 ||
		    info.op != PTRACE_SYSCALL_INFO_ENTRY || length == sizeof(order) - 1)
			continue;
		if (info.entry.nr == SYS_fsync || info.entry.nr == SYS_syncfs ||
		    info.entry.nr == SYS_fdatasync)
			order[length++] = 's';
		else if (info.entry.nr == SYS_renameat || info.entry.nr == SYS_renameat2)
			order[length++] = 'r';
		else if (info.entry.nr == SYS_unlinkat)
			order[length++] = 'u';
		else if (info.entry.nr == SYS_write && info.entry.args[0] == (uint64_t)fds[1])
			order[length++] = '!';
	}
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(status, 0);
	/* content, name, names: two uploads; two outputs, adopted and landed; the rest of scratch;
	 * deleted: the name, names */
	order[length] = '\0';
	assert_memory_equal(order + strspn(order, "u"), "srs!srs!rrsrrs!", 15);
	assert_string_equal(order + length - 3, "us!");
}

/* --- full disks ----------------------------------------------------------- */

static bool write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	own_close(&fd);
	return good;
}

/* In a child: as root of a mount namespace of its own. */
static bool own_mounts(void)
{
	char uids[40];
	char gids[40];

	if (!unshare(CLONE_NEWNS))
		return true;
	snprintf(uids, sizeof(uids), "0 %u 1", geteuid());
	snprintf(gids, sizeof(gids), "0 %u 1", getegid());
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) &&
	       write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/uid_map", uids) && write_file("/proc/self/gid_map", gids);
}

static void fill_with_bytes(void)
{
	static const char piece[65536];
	struct file_store_upload *u;
	int bad = 0;

	must(!file_store_upload_begin(store, "key", &u, &e));
	for (int i = 0; i < 64 && !bad; i++)
		bad = file_store_upload_take(u, piece, sizeof(piece), &e);
	must(bad && file_store_is_full(&e));
	file_store_upload_abandon(u);
	must(names_in("incoming") == 0);
	must(file_store_usage(store, NULL).bytes == 5);
}

/* What is written at the end only, because it is short. */
static void fill_with_others_bytes(void)
{
	struct file_store_upload *u;
	int fd = openat(base, "store/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	static const char piece[4096];

	while (write(fd, piece, sizeof(piece)) > 0)
		;
	close(fd);
	must(!file_store_upload_begin(store, "key", &u, &e));
	must(!file_store_upload_take(u, "short", 5, &e));
	must(file_store_upload_end(u, "x", &e) && file_store_is_full(&e));
	file_store_upload_abandon(u);
	must(names_in("incoming") == 0 && names_in("files") == 1);
	must(file_store_usage(store, "key").files == 1 && file_store_usage(store, NULL).bytes == 5);
	must(!unlinkat(base, "store/filler", 0));
}

static void fill_with_names(void)
{
	struct file_store_upload *u;
	struct stored_file file;
	int dir = openat(base, "store", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[20];
	int count = 0;

	for (bool room = true; room && count < 100; count++) {
		auto_fd int fd = -1;

		snprintf(name, sizeof(name), "filler%d", count);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		room = fd >= 0;
	}
	must(count < 100);
	must(file_store_upload_begin(store, "key", &u, &e) && file_store_is_full(&e));
	must(!unlinkat(dir, "filler0", 0));
	must(!put_bytes("key", "last", "last", 4, &file)); /* a file has one name */
	must(!delete_file("key", file.id));
	must(names_in("incoming") == 0 && names_in("files") == 1);
	must(file_store_usage(store, NULL).files == 1 && file_store_usage(store, "key").bytes == 5);
	for (int i = 1; i < count; i++) {
		snprintf(name, sizeof(name), "filler%d", i);
		unlinkat(dir, name, 0);
	}
	close(dir);
}

static void live_on_a_small_disk(void)
{
	struct stored_file first;
	struct stored_file file;

	store = NULL;
	if (!own_mounts() || mount("none", path, "tmpfs", 0, "size=1m,nr_inodes=64,mode=700"))
		_exit(77);
	base = open(unit_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* with the mount */
	must(!file_store_open(path, &limits, &store, &e));
	must(!put_bytes("key", "first", "first", 5, &first));
	fill_with_bytes();
	fill_with_others_bytes();
	fill_with_names();
	must(!put_bytes("key", "after", "after", 5, &file));
	file_store_close(store);
	must(!file_store_open(path, &limits, &store, &e));
	must(!strcmp(content("key", first.id), "first") &&
	     !strcmp(content("key", file.id), "after"));
	must(file_store_usage(store, NULL).files == 2);
	_exit(0);
}

static void test_full_disk_costs_only_what_did_not_fit(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		not_ours = store;
		live_on_a_small_disk();
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		printf("cannot: no tmpfs can be mounted here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_uploaded_is_found),
		TEST(test_a_file_in_pieces_of_any_length_is_what_was_sent),
		TEST(test_another_owners_files_are_not_found),
		TEST(test_owner_is_bounded),
		TEST(test_equal_contents_are_files_of_their_own),
		TEST(test_empty_file),
		TEST(test_list_is_sorted_by_time),
		TEST(test_ids_are_matched_strictly),
		TEST(test_new_ids_are_version_4_and_differ),
		TEST(test_names_are_made_harmless),
		TEST(test_long_name_is_cut_between_characters),
		TEST(test_names_in_headers),
		TEST(test_file_that_is_too_large),
		TEST(test_quota_of_an_owner),
		TEST(test_owners_with_quotas_of_their_own),
		TEST(test_total_quota),
		TEST(test_number_of_files),
		TEST(test_uploads_at_the_same_time_share_a_quota),
		TEST(test_sweep_deletes_what_is_too_old),
		TEST(test_sweep_is_bounded_and_goes_on),
		TEST(test_file_from_the_future_does_not_live_for_ever),
		TEST(test_output_is_adopted),
		TEST(test_directory_that_nothing_was_left_in_is_the_next_one),
		TEST(test_directory_that_somebody_removes_is_made_again),
		TEST(test_a_file_counts_a_block_at_least),
		TEST(test_bytes_that_are_held),
		TEST(test_what_is_abandoned_is_nowhere),
		TEST(test_child_skips_what_was_abandoned_meanwhile),
		TEST(test_upload_that_cannot_be_put_into_place_is_told),
		TEST(test_objects_that_are_not_of_a_store_stay),
		TEST(test_records_that_lie_are_refused),
		TEST(test_what_is_no_output_is_refused),
		TEST(test_quiet_start),
		TEST(test_leftovers_are_removed_and_foreign_files_ignored),
		TEST(test_file_that_cannot_be_read_at_the_moment_stays),
		cmocka_unit_test_setup_teardown(test_start_with_10000_files, enter_memory, leave),
		TEST(test_directory_must_be_ours_alone),
		TEST(test_second_process_is_refused),
		cmocka_unit_test_setup_teardown(test_killed_at_each_system_call_it_loses_nothing,
						enter_memory, leave),
		cmocka_unit_test_setup_teardown(test_disk_has_everything_before_it_is_acknowledged,
						enter_memory, leave),
		TEST(test_full_disk_costs_only_what_did_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
