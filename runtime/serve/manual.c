/*
 * manual - the manual page of this program, and the words that a shell completes behind "serve
 * key".
 */
#include "serve/manual.h"

#include <string.h>

#include "flags/serve_settings.h"
#include "flags/setting_text.h"
#include "tenant/keys_command.h"

static const char head[] =
	".TH GLOVEBOX\\-SERVE 1 \"2026-11-24\" \"glovebox " GLOVEBOX_VERSION
	"\" \"User Commands\"\n"
	".SH NAME\nglovebox\\-serve \\- sandboxes for programs that speak HTTP\n"
	".SH SYNOPSIS\n.B glovebox serve\n[FLAGS]\n.br\n"
	".B glovebox serve key\nadd|ls|rm [FLAGS] [NAME]\n"
	".SH DESCRIPTION\n"
	"A server runs Python that its clients send, each request in a sandbox of its own, and "
	"keeps files for them. The interface is told in docs/serve.md.\n.PP\n"
	"Each flag is also an environment variable\n.RB ( \\-\\-max\\-runs\nis\n"
	".BR GLOVEBOX_SERVE_MAX_RUNS );\na flag overrides a variable, and both a file\n.RB ( "
	"\\-\\-config ).\n";

static const char tail[] =
	".SH EXIT STATUS\n0: it was ended by SIGTERM or SIGINT, after those who ran had their time "
	"(\\-\\-drain). 125: it did not start, and says why.\n"
	".SH SIGNALS\n.TP\n.B SIGHUP\nKeys, ceiling and certificate are read again, and the audit "
	"is opened anew.\n"
	".SH FILES\n"
	".TP\n.I /var/lib/glovebox/serve\nUploaded files, for root.\n"
	".TP\n.I ~/.local/state/glovebox/serve\nThe same, for everybody else.\n"
	".SH SEE ALSO\n.BR glovebox (1)\n";

static void manual_write(struct buf *out)
{
	const struct settings settings = serve_all_settings(NULL, NULL);

	buf_text(out, head);
	for (int group = 0; group < GROUP_COUNT; group++) {
		auto_buf struct buf rows = {0};

		if (group == GROUP_REFUSED)
			setting_text_refused(&settings, true, &rows);
		else
			setting_text_man_all(&settings, (enum setting_group)group, &rows);
		if (rows.length)
			buf_printf(out, ".SH \"%s\"\n%s", setting_group_titles[group],
				   buf_string(&rows));
	}
	buf_text(out, ".SH KEYS\n");
	keys_command_man(out);
	buf_text(out, tail);
}

bool manual_generate(const char *what, struct buf *out)
{
	if (!strcmp(what, "man"))
		manual_write(out);
	else if (!strcmp(what, "words"))
		keys_command_words(out);
	else
		return false;
	return true;
}
