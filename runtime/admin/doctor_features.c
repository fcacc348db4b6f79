/*
 * doctor_features - check which commands work for the calling user, and what the others need.
 */
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "admin/doctor.h"
#include "base/buf.h"
#include "cli/command.h"
#include "client/network.h"
#include "fs/private_dir.h"
#include "host/system_program.h"
#include "image/image.h"
#include "namespace/subid_file.h"
#include "root/overlay_try.h"

/* Check what every sandbox needs first; false: *f says what is missing. */
static bool doctor_features_has_kernel(struct finding *f)
{
	struct finding because;

	if (doctor_is_usable(doctor_host, &because))
		return true;
	doctor_set(f, FINDING_NO, "not on this machine: see the rows marked NO above");
	return false;
}

/* false: *f has the remedy for the missing limits. */
static bool doctor_features_has_limits(struct finding *f, const struct doctor_row *rows,
				       const char *without)
{
	struct finding because;

	if (doctor_is_usable(rows, &because))
		return true;
	doctor_set(f, FINDING_NO, "%s", without);
	snprintf(f->remedy, sizeof(f->remedy), "%s", because.remedy);
	return false;
}

static void doctor_features_check_run(struct finding *f)
{
	if (doctor_features_has_kernel(f) &&
	    doctor_features_has_limits(
		    f, doctor_limits,
		    "not with the default limits; without any it works: --memory 0 --cpus 0 "
		    "--pids-limit 0"))
		doctor_set(f, FINDING_OK, "cold runs, with the default limits");
}

static void doctor_features_check_warm(struct finding *f)
{
	struct private_dir_fault fault;
	char path[PATH_MAX];
	struct err e;

	if (!doctor_features_has_kernel(f) ||
	    !doctor_features_has_limits(f, doctor_limits + 1, "not without limits"))
		return;
	if (private_dir_of_user(false, path, sizeof(path), &e)) {
		doctor_fail(f, &e);
		return;
	}
	/* Blocks of ids are locked there, wherever the socket is. */
	if (private_dir_is_usable(path, &fault) &&
	    (geteuid() != 0 || !access(PRIVATE_DIR_ROOT, W_OK) ||
	     private_dir_is_usable(PRIVATE_DIR_ROOT, &fault))) {
		doctor_set(f, FINDING_OK, "found in %s", path);
		return;
	}
	doctor_set(f, FINDING_NO, "%s", fault.what);
	snprintf(f->remedy, sizeof(f->remedy), "%s", fault.remedy);
}

static bool doctor_features_has_subids(void)
{
	char name[SUBID_NAME_SIZE];
	uint32_t uid;
	uint32_t gid;

	return subid_file_own(name, &uid, &gid);
}

static bool doctor_features_is_noexec(const char *place)
{
	struct statvfs fs;

	return !statvfs(place, &fs) && fs.f_flag & ST_NOEXEC;
}

static void doctor_features_check_building(struct finding *f)
{
	const char *named = getenv("TMPDIR");
	const char *place = named && *named == '/' ? named : "/tmp";

	if (!doctor_features_has_kernel(f))
		return;
	if (is_one_file) {
		doctor_set(f, FINDING_NOTE, "not with this one file, which has no recipes");
		return;
	}
	doctor_set(f, FINDING_OK, "from Debian packages, with mmdebstrap");
	if (!system_program_exists(-1, "mmdebstrap")) {
		doctor_set(f, FINDING_NO, "needs mmdebstrap (importing does not)");
		snprintf(f->remedy, sizeof(f->remedy), "%sapt-get install mmdebstrap",
			 geteuid() ? "sudo " : "");
	} else if (geteuid() != 0 && doctor_features_is_noexec(place)) {
		/* Root builds in memory, if it has enough. */
		doctor_set(f, FINDING_NO, "nothing may be executed below %.300s (noexec)", place);
		snprintf(f->remedy, sizeof(f->remedy), "export TMPDIR=DIRECTORY elsewhere");
	} else if (geteuid() != 0 &&
		   !(system_program_exists(-1, "newuidmap") && doctor_features_has_subids())) {
		doctor_set(f, FINDING_NO,
			   "needs newuidmap, and ids of yours in /etc/subuid and /etc/subgid "
			   "(importing does not)");
		doctor_remedy_is_setup(f);
	}
}

static void doctor_features_check_pulling(struct finding *f)
{
	doctor_set(f, FINDING_OK, "from registries, with skopeo");
	if (system_program_exists(-1, "skopeo"))
		return;
	doctor_set(f, FINDING_NOTE, "needs skopeo (importing does not)");
	snprintf(f->remedy, sizeof(f->remedy), "%sapt-get install skopeo",
		 geteuid() ? "sudo " : "");
}

/* Start glovebox-egress without a sandbox. */
static void doctor_features_check_egress(struct finding *f)
{
	struct err e;

	if (!doctor_features_has_kernel(f) ||
	    !doctor_features_has_limits(f, doctor_limits, "not with the default limits"))
		return;
	doctor_set(f, FINDING_OK, "exactly the hosts of a list (--egress), and published ports");
	if (!network_try(&e))
		return;
	doctor_fail(f, &e);
	if (is_one_file)
		f->state = FINDING_NOTE;
}

static void doctor_features_check_writable(struct finding *f)
{
	struct err e;

	if (!doctor_features_has_kernel(f) ||
	    !doctor_features_has_limits(f, doctor_limits, "not with the default limits"))
		return;
	doctor_set(f, FINDING_OK, "changes to an image's root, in memory (--writable)");
	if (!overlay_try())
		return;
	if (errno != ENODEV && errno != EPERM) {
		err_sys(&e, "mount an overlay");
		doctor_fail(f, &e);
		return;
	}
	doctor_set(f, FINDING_NO, "--writable needs overlayfs for user namespaces");
	snprintf(f->remedy, sizeof(f->remedy), "%smodprobe overlay", geteuid() ? "sudo " : "");
}

struct doctor_images {
	struct err wrong; /* the error of an unusable one */
	struct buf names;
	unsigned count;
};

static int doctor_features_note_image(const struct image *image, void *context)
{
	struct doctor_images *images = context;

	(void)image_check_executable(image, &images->wrong);
	if (images->count++ < 6)
		buf_printf(&images->names, ", %s", image->reference);
	return 0;
}

static void doctor_features_check_images(struct finding *f)
{
	struct doctor_images images = {0};
	struct err e;

	if (access("/proc/self/fd", F_OK)) {
		doctor_set(f, FINDING_NO, "not without /proc");
	} else if (image_list(doctor_features_note_image, &images, &e)) {
		doctor_fail(f, &e);
	} else if (images.wrong.kind) {
		f->state = FINDING_NO;
		err_string(&images.wrong, f->text, sizeof(f->text));
	} else if (images.count) {
		doctor_set(f, FINDING_OK, "host%.500s%s", buf_string(&images.names),
			   images.count > 6 ? ", ..." : "");
	} else {
		doctor_set(f, FINDING_NOTE, "only host, which is this machine's own /usr");
		snprintf(f->remedy, sizeof(f->remedy), "%s",
			 is_one_file ? "glovebox image import FILE.tar python"
				     : "glovebox image build python");
	}
	buf_fini(&images.names);
}

/* clang-format off */
const struct doctor_row doctor_features[] = {
	{"run",            DOCTOR_PLAIN, doctor_features_check_run},
	{"warm, sessions", DOCTOR_PLAIN, doctor_features_check_warm},
	{"egress",         DOCTOR_PLAIN, doctor_features_check_egress},
	{"writable root",  DOCTOR_PLAIN, doctor_features_check_writable},
	{"images",         DOCTOR_PLAIN, doctor_features_check_images},
	{"image build",    DOCTOR_PLAIN, doctor_features_check_building},
	{"image pull",     DOCTOR_PLAIN, doctor_features_check_pulling},
	{NULL, DOCTOR_PLAIN, NULL},
};
/* clang-format on */
