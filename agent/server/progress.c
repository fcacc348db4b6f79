/*
 * progress - show a long job of the server: a bar at a terminal, plain lines elsewhere.
 */
#include "agent/server/progress.h"

#include <string.h>

#include "base/escape.h"

#define BAR_CELLS 30

static void progress_draw_bar(const struct progress *p, uint64_t completed, uint64_t total)
{
	char bar[BAR_CELLS + 1];
	int full = p->shown * BAR_CELLS / 100;

	memset(bar, '#', sizeof(bar) - 1);
	memset(bar + full, '.', (size_t)(BAR_CELLS - full));
	bar[BAR_CELLS] = '\0';
	fprintf(p->out, "\r\x1b[K%.40s [%s] %3d%%  %.1f of %.1f GB", p->status, bar, p->shown,
		(double)completed / 1e9, (double)total / 1e9);
}

/* Without a terminal print one line per tenth, so that logs stay readable. */
static bool progress_worth_a_line(int percent, int shown)
{
	return shown < 0 || percent / 10 > shown / 10;
}

void progress_step(struct progress *p, const char *status, uint64_t completed, uint64_t total)
{
	auto_buf struct buf safe = {.cap = sizeof(p->status) - 1};
	uint64_t part = completed < total ? completed : total;
	int percent = total ? (int)((double)part * 100 / (double)total) : -1;

	escape_line(status, strlen(status), &safe);
	if (strcmp(p->status, buf_string(&safe)) != 0) {
		progress_end(p);
		snprintf(p->status, sizeof(p->status), "%s", buf_string(&safe));
		if (percent < 0 || !p->terminal)
			fprintf(p->out, p->terminal ? "%s" : "%s\n", p->status);
		p->shown = -1;
	}
	if (percent >= 0 && p->terminal && percent != p->shown) {
		p->shown = percent;
		progress_draw_bar(p, part, total);
	} else if (percent >= 0 && !p->terminal && progress_worth_a_line(percent, p->shown)) {
		p->shown = percent;
		fprintf(p->out, "%s: %d%% of %.1f GB\n", p->status, percent, (double)total / 1e9);
	}
	fflush(p->out);
}

void progress_end(struct progress *p)
{
	if (p->status[0] && p->terminal)
		fputc('\n', p->out);
	p->status[0] = '\0';
	fflush(p->out);
}
