/*
 * chamber_network - start glovebox-egress for a step that may reach some hosts.
 */
#include "chamber_network.h"

#include <stdio.h>

#include "base/own.h"
#include "base/self_path.h"
#include "spec/egress_refusals.h"

int chamber_network_start(const struct egress_spec *spec, struct egress *out, struct err *e)
{
	static const struct cgroup none; /* a chamber has no control group */
	char directory[PATH_MAX];
	auto_free char *program = NULL;

	*out = egress_none();
	if (self_directory(directory, e))
		return -1;
	program = own_printf("%s/%s", directory, EGRESS_PROGRAM);
	if (egress_prepare(program, spec, "build", EGRESS_WITH_US, out, e))
		return -1;
	if (!egress_start(out, &none, e))
		return 0;
	egress_end(out);
	return -1;
}

void chamber_network_explain(const struct egress *x)
{
	auto_buf struct buf line = {0};
	struct egress_summary summary;
	struct err ignored;

	if (x->control < 0 || egress_summarize(x->control, &summary, &ignored))
		return;
	egress_refusals_line(&(struct egress_summary){0}, &summary, &line);
	fputs(buf_string(&line), stderr);
	egress_summary_fini(&summary);
}
