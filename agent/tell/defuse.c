/*
 * defuse - escape text of programs and files for a model.
 */
#include "agent/tell/defuse.h"

#include "agent/data/text.h"
#include "base/escape.h"
#include "base/utf8.h"

/* Our own headings, as letters only. Recognised behind '[', '<' or '*' and at line starts. */
static const char *const headings[] = {
	"executionresult", "executionfeedback", "timeout",      "memorylimit",
	"finalanswer",     "crashed",           "cancelled",    "toolcalls",
	"toolresults",     "availabletools",    "systemprompt",
};

/* Words of chat templates, behind '<', '[' or a fullwidth bar. */
static const char *const template_words[] = {
	"|",
	"\xef\xbd\x9c",
	"/|",
	"think",
	"/think",
	"tool_call",
	"/tool_call",
	"tool_resp",
	"/tool_resp",
	"tools>",
	"start_of_turn",
	"end_of_turn",
	"bos>",
	"eos>",
	"s>",
	"/s>",
	"<sys>>",
	"</sys>>",
	"inst]",
	"/inst]",
	"function=",
	"/function",
	"system>",
	"/system>",
	"function_call",
	"unused",
	"reserved_",
	"thinking",
	"begin_of_",
	"end_of_",
	"im_start",
	"im_end",
	"eot_id",
	"extra_id",
	"available_tools]",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Code points invisible to people, and joiners and selectors, which only some scripts need. */
bool defuse_is_invisible(uint32_t code)
{
	return escape_hides(code) || code == 0x200c || code == 0x200d ||
	       (code >= 0xfe00 && code <= 0xfe0e);
}

static void defuse_put_code(const unsigned char *p, size_t n, uint32_t code, struct buf *out)
{
	if (code < 0x20 || code == 0x7f)
		buf_printf(out, "\\x%02x", code);
	else if (code == 0xfffd)
		buf_text(out, "\xef\xbf\xbd");
	else if (!defuse_is_invisible(code))
		buf_add(out, p, n);
	else if (code < 0x10000)
		buf_printf(out, "\\u%04x", code);
	else
		buf_printf(out, "\\U%08x", code);
}

/* First pass: make everything visible. */
static void defuse_make_visible(const unsigned char *p, size_t length, bool one_line,
				struct buf *out)
{
	for (size_t i = 0, n; i < length; i += n) {
		uint32_t code;

		n = utf8_decode(p + i, length - i, &code);
		if (!one_line && (code == '\n' || code == '\t'))
			buf_add(out, p + i, 1);
		else
			defuse_put_code(p + i, n, code, out);
	}
}

/* Whether the letters at p spell one of our headings, with any characters between them. */
static bool defuse_is_heading(const char *p, size_t left)
{
	char letters[24];
	size_t n = 0;

	for (size_t i = 0; i < left && i < 48 && n < sizeof(letters) - 1; i++) {
		if (isalpha((unsigned char)p[i]))
			letters[n++] = (char)tolower((unsigned char)p[i]);
		else if (!strchr(" \t_-*[]/.:|", p[i]))
			break;
	}
	letters[n] = '\0';
	for (size_t i = 0; i < COUNT_OF(headings); i++)
		if (!strncmp(letters, headings[i], strlen(headings[i])))
			return true;
	return false;
}

static bool defuse_is_template(const char *p, size_t left)
{
	for (size_t i = 0; i < COUNT_OF(template_words); i++)
		if (text_begins(p, left, template_words[i]))
			return true;
	return false;
}

/* Whether this is a mark that needs a blank after its first character. */
static bool defuse_is_mark(const char *p, size_t left)
{
	if (left > 1 && p[1] == ' ') /* has its blank already */
		return false;
	if (*p == '[' || *p == '<')
		return defuse_is_heading(p + 1, left - 1) || defuse_is_template(p + 1, left - 1);
	if (*p == '`')
		return left >= 3 && p[1] == '`' && p[2] == '`';
	return *p == '*' && left > 2 && p[1] == '*' && defuse_is_heading(p + 2, left - 2);
}

/* Second pass: break all marks. */
static void defuse_break_marks(const struct buf *in, struct buf *out)
{
	const char *text = buf_string(in);

	for (size_t i = 0; i < in->length; i++) {
		buf_add(out, text + i, 1);
		if (defuse_is_mark(text + i, in->length - i))
			buf_text(out, " ");
	}
}

void defuse(const void *bytes, size_t length, struct buf *out)
{
	auto_buf struct buf visible = {0};

	defuse_make_visible(bytes, length, false, &visible);
	defuse_break_marks(&visible, out);
}

void defuse_line(const void *bytes, size_t length, struct buf *out)
{
	auto_buf struct buf visible = {0};

	defuse_make_visible(bytes, length, true, &visible);
	defuse_break_marks(&visible, out);
}
