/*
 * test_images - which terminals show images, which files are sent to them, and how.
 */
#include "unit.h"

#include "agent/show/images.h"

static struct err e;

/* A PNG of one pixel, with something after its end. */
static const unsigned char pixel[] = {
	0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,    0,   13,   'I',  'H',  'D',
	'R',  0,    0,    0,    1,    0,    0,    0,    1,    8,    0,   0,    0,    0,    0x3a,
	0x7e, 0x9b, 0x55, 0,    0,    0,    10,   'I',  'D',  'A',  'T', 0x78, 0x9c, 0x63, 0x60,
	0,    0,    0,    2,    0,    1,    0x48, 0xaf, 0xa4, 0x71, 0,   0,    0,    0,    'I',
	'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82, 'r',  'e',  's',  't',
};
#define PIXEL_LENGTH (sizeof(pixel) - 4)

static void forget_terminal(void)
{
	static const char *const names[] = {"TERM",           "TERM_PROGRAM",    "LC_TERMINAL",
					    "TMUX",           "KITTY_WINDOW_ID", "STY",
					    "KONSOLE_VERSION"};

	for (size_t i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
}

static void test_terminals(void **state)
{
	static const struct {
		const char *a[2];
		const char *b[2];
		enum image_protocol protocol;
	} cases[] = {
		{{"TERM", "xterm-256color"},    {NULL},                      IMAGE_NONE },
		{{"TERM", "xterm-kitty"},       {NULL},                      IMAGE_KITTY},
		{{"TERM", "xterm-256color"},    {"KITTY_WINDOW_ID", "1"},    IMAGE_KITTY},
		{{"TERM", "xterm-ghostty"},     {NULL},                      IMAGE_KITTY},
		{{"TERM_PROGRAM", "iTerm.app"}, {"TERM", "xterm"},           IMAGE_ITERM},
		{{"TERM_PROGRAM", "WezTerm"},   {"KITTY_WINDOW_ID", "1"},    IMAGE_ITERM},
		{{"LC_TERMINAL", "iTerm2"},     {"TERM", "xterm"},           IMAGE_ITERM},
		{{"TERM_PROGRAM", "vscode"},    {"TERM", "xterm"},           IMAGE_ITERM},
		{{"KONSOLE_VERSION", "220400"}, {"TERM", "xterm"},           IMAGE_ITERM},
		{{"TERM", "foot"},              {NULL},                      IMAGE_NONE },
		{{"TERM", "xterm-kitty"},       {"TMUX", "/tmp/x,1,0"},      IMAGE_NONE },
		{{"LC_TERMINAL", "iTerm2"},     {"STY", "1.x"},              IMAGE_NONE },
		{{"LC_TERMINAL", "iTerm2"},     {"TERM", "screen-256color"}, IMAGE_NONE },
		{{"KITTY_WINDOW_ID", "1"},      {"TERM", "tmux-256color"},   IMAGE_NONE },
		{{"KITTY_WINDOW_ID", "1"},      {"TERM", "dumb"},            IMAGE_NONE },
		{{"KITTY_WINDOW_ID", ""},       {"TERM", "xterm"},           IMAGE_NONE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		forget_terminal();
		setenv(cases[i].a[0], cases[i].a[1], 1);
		if (cases[i].b[0])
			setenv(cases[i].b[0], cases[i].b[1], 1);
		assert_int_equal(images_detect(), cases[i].protocol);
	}
	forget_terminal();
}

static void test_a_png_ends_where_it_says(void **state)
{
	size_t length = 0;
	uint32_t width = 0;

	(void)state;
	accepts(images_check(pixel, sizeof(pixel), &length, &width, &e), "pixel");
	assert_int_equal(length, PIXEL_LENGTH);
	assert_int_equal(width, 1);
}

static void test_every_part_of_a_png_is_refused(void **state)
{
	size_t length;
	uint32_t width;

	(void)state;
	for (size_t n = 0; n < PIXEL_LENGTH; n++) {
		unsigned char *part = malloc(n + 1);

		assert_non_null(part);
		memcpy(part, pixel, n);
		refuses(images_check(part, n, &length, &width, &e), "a part", ERR_INPUT, "PNG");
		free(part);
	}
}

static void test_lies_about_size_are_refused(void **state)
{
	static const struct {
		size_t at;
		unsigned char bytes[4];
		const char *why;
	} lies[] = {
		{16, {0, 0, 0, 0},             "promises"         },
		{20, {0, 0, 0, 0},             "promises"         },
		{16, {0xff, 0xff, 0xff, 0xff}, "promises"         },
		{20, {0x7f, 0, 0, 0},          "promises"         },
		{33, {0xff, 0xff, 0xff, 0xff}, "@images_check#cut"},
		{33, {0, 0, 0, 200},           "@images_check#cut"},
		{0,  {'G', 'I', 'F', '8'},     "@images_check#no" },
		{12, {'J', 'H', 'D', 'R'},     "@images_check#no" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lies); i++) {
		unsigned char bytes[sizeof(pixel)];
		size_t length;
		uint32_t width;

		memcpy(bytes, pixel, sizeof(pixel));
		memcpy(bytes + lies[i].at, lies[i].bytes, 4);
		refuses(images_check(bytes, sizeof(bytes), &length, &width, &e), lies[i].why,
			ERR_INPUT, lies[i].why);
	}
}

static void test_what_is_sent(void **state)
{
	int dir = unit_enter();
	auto_buf struct buf kitty = {0};
	auto_buf struct buf iterm = {0};
	auto_buf struct buf scaled = {0};

	(void)state;
	unit_write(dir, "a.png", pixel, sizeof(pixel));
	accepts(images_load(IMAGE_KITTY, dir, "a.png", 0, 80, &kitty, &e), "kitty");
	assert_string_equal(
		buf_string(&kitty),
		"\033_Ga=T,f=100,q=2,m=0;"
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJ"
		"RU5ErkJggg==\033\\");
	accepts(images_load(IMAGE_ITERM, dir, "a.png", 5, 80, &iterm, &e), "iterm");
	assert_non_null(
		strstr(buf_string(&iterm), "\033]1337;File=inline=1;size=67;width=auto:iVBOR"));
	assert_int_equal(iterm.data[iterm.length - 1], '\a');
	refuses(images_load(IMAGE_NONE, dir, "a.png", 0, 80, &scaled, &e), "none", ERR_UNSUPPORTED,
		"@images_load");
	unit_leave(dir);
}

static void test_long_files_go_in_chunks(void **state)
{
	int dir = unit_enter();
	auto_buf struct buf png = {0};
	auto_buf struct buf out = {0};
	char data[10000] = {0};
	int chunks = 0;

	(void)state;
	buf_add(&png, pixel, 33);
	png.data[19] = 100; /* pixels wide */
	buf_add(&png, "\0\0\x27\x10IDAT", 8);
	buf_add(&png, data, sizeof(data));
	buf_add(&png,
		"\0\0\0\0"
		"\0\0\0\0IEND\xae\x42\x60\x82",
		16);
	unit_write(dir, "long.png", png.data, png.length);
	accepts(images_load(IMAGE_KITTY, dir, "long.png", 50, 80, &out, &e), "long");
	assert_non_null(strstr(out.data, "c=80,m=1;"));
	for (const char *p = out.data; (p = strstr(p, "\033_G")); p++) {
		const char *end = strstr(p, "\033\\");

		assert_non_null(end);
		assert_true(end - strchr(p, ';') <= 4097);
		chunks++;
	}
	assert_int_equal(chunks, 4);
	assert_non_null(strstr(out.data, "\033_Gq=2,m=0;"));
	unit_leave(dir);
}

static void test_links_and_odd_files_are_not_followed(void **state)
{
	int dir = unit_enter();
	auto_buf struct buf out = {0};

	(void)state;
	unit_write(dir, "a.png", pixel, sizeof(pixel));
	assert_int_equal(symlinkat("a.png", dir, "link.png"), 0);
	assert_int_equal(symlinkat(".", dir, "here"), 0);
	assert_int_equal(mkfifoat(dir, "fifo.png", 0600), 0);
	assert_int_equal(mkdirat(dir, "dir.png", 0700), 0);
	refuses(images_load(IMAGE_KITTY, dir, "link.png", 0, 80, &out, &e), "link", ERR_SYSTEM,
		"open");
	refuses(images_load(IMAGE_KITTY, dir, "here/a.png", 0, 80, &out, &e), "link on the way",
		ERR_SYSTEM, "open");
	refuses(images_load(IMAGE_KITTY, dir, "../a.png", 0, 80, &out, &e), "outside", ERR_SYSTEM,
		"open");
	refuses(images_load(IMAGE_KITTY, dir, "/etc/passwd", 0, 80, &out, &e), "absolute",
		ERR_SYSTEM, "open");
	refuses(images_load(IMAGE_KITTY, dir, "fifo.png", 0, 80, &out, &e), "fifo", ERR_INPUT,
		"regular");
	refuses(images_load(IMAGE_KITTY, dir, "dir.png", 0, 80, &out, &e), "directory", ERR_INPUT,
		"regular");
	assert_int_equal(out.length, 0);
	unit_leave(dir);
}

static void test_a_file_too_large_is_refused(void **state)
{
	int dir = unit_enter();
	auto_buf struct buf out = {0};
	int fd;

	(void)state;
	unit_write(dir, "huge.png", pixel, sizeof(pixel));
	fd = openat(dir, "huge.png", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, IMAGES_BYTES + 1), 0);
	close(fd);
	refuses(images_load(IMAGE_KITTY, dir, "huge.png", 0, 80, &out, &e), "huge", ERR_INPUT,
		"@io_read_fd#larger");
	unit_leave(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminals),
		cmocka_unit_test(test_a_png_ends_where_it_says),
		cmocka_unit_test(test_every_part_of_a_png_is_refused),
		cmocka_unit_test(test_lies_about_size_are_refused),
		cmocka_unit_test(test_what_is_sent),
		cmocka_unit_test(test_long_files_go_in_chunks),
		cmocka_unit_test(test_links_and_odd_files_are_not_followed),
		cmocka_unit_test(test_a_file_too_large_is_refused),
	};

	return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
