/*
 * debian - make a Debian root with mmdebstrap and pip, and return it as a tar stream.
 */
#include "debian.h"

#include <unistd.h>

#include "base/own.h"
#include "debian_steps.h"
#include "fetch_cause.h"
#include "pip_constraints.h"
#include "rootfs/archive/interrupt.h"
#include "rootfs/chamber/progress.h"
#include "rootfs/chamber/rootless.h"

int debian_check(const struct recipe *recipe, struct err *e)
{
	const char *certificates = debian_certificates();
	auto_free char *tool = debian_find_tool();

	if (!tool)
		return err_set(
			e, ERR_UNSUPPORTED,
			"building an image needs mmdebstrap: \"apt-get install mmdebstrap\" as "
			"root; the image \"host\" needs no build");
	if (recipe->pip.count && pip_constraints_check(e))
		return -1;
	if (recipe->pip.count && certificates && access(certificates, R_OK))
		return err_sys(e, "read %.300s, which PIP_CERT or SSL_CERT_FILE names",
			       certificates);
	return geteuid() == 0 ? 0 : rootless_check(e);
}

static int debian_start_step(const struct debian_request *q, enum debian_step which,
			     struct debian *d, struct err *e)
{
	struct chamber_inputs inputs = {0};
	struct chamber_step step = {0};
	int status = -1;

	progress_say("%s", debian_step_says(which));
	if (!debian_inputs(q, which, d->scratch.build, &inputs, e) &&
	    !debian_step(q, which, &step, e)) {
		step.ids = &d->ids;
		step.inputs = &inputs;
		status = chamber_start(&step, &d->last, e);
	}
	debian_step_fini(&step);
	debian_inputs_fini(&inputs);
	return status;
}

static int debian_run_step(const struct debian_request *q, enum debian_step which, struct debian *d,
			   struct err *e)
{
	if (debian_start_step(q, which, d, e))
		return -1;
	if (!chamber_finish(&d->last, false, e))
		return 0;
	return debian_step_leaves_cause(which) ? fetch_cause(d->scratch.build, q->suite, e) : -1;
}

/* Failing to keep a base costs the next build time; an interruption ends this one. */
static int debian_save_base(const struct debian_request *q, struct debian *d, struct err *e)
{
	auto_fd int archive = -1;

	if (debian_start_step(q, STEP_SAVE, d, e))
		return -1;
	archive = base_cache_receive(q->bases, d->last.out_fd);
	if (!chamber_finish(&d->last, archive < 0, e))
		base_cache_keep(q->bases, archive);
	return interrupt_check(e);
}

/* Install packages of the base first, so that later builds can start from them. */
static int debian_install(const struct debian_request *q, struct debian *d, struct err *e)
{
	struct base_cache *bases = q->bases;

	if (bases)
		base_cache_look(bases, d->scratch.build);
	if (!bases || !bases->kept.path || bases->hit)
		return debian_run_step(q, STEP_INSTALL, d, e);
	if (debian_run_step(q, STEP_BASE, d, e) || (*bases->key && debian_save_base(q, d, e)))
		return -1;
	return q->recipe->apt.count > q->recipe->base_apt ? debian_run_step(q, STEP_INSTALL, d, e)
							  : 0;
}

static int debian_run_steps(const struct debian_request *q, struct debian *d, struct err *e)
{
	if (debian_run_step(q, STEP_FETCH, d, e) || debian_install(q, d, e))
		return -1;
	if (q->recipe->pip.count && debian_run_step(q, STEP_WHEELS, d, e))
		return -1;
	if (debian_run_step(q, STEP_FINISH, d, e))
		return -1;
	return debian_start_step(q, STEP_PACK, d, e);
}

int debian_start(const struct debian_request *q, struct debian *out, struct err *e)
{
	*out = (struct debian){0};
	if (subids_choose(&out->ids, e) || scratch_make(&out->scratch, &out->ids, e))
		return -1;
	if (!debian_run_steps(q, out, e))
		return 0;
	progress_say("removing what was made");
	scratch_remove(&out->scratch, &out->ids);
	return -1;
}

int debian_finish(struct debian *d, bool abandon, struct err *e)
{
	int status = chamber_finish(&d->last, abandon, e);

	scratch_remove(&d->scratch, &d->ids);
	return status;
}
