/*
 * mover_probe - a mover that is hostile: it tries to write where `cp` did not ask it to.
 *
 *     mover_probe stat PATH   says that there is a file
 *     mover_probe get PATH    sends nothing
 *     mover_probe put DIR     tries each of the paths below, and says which could be written
 *     mover_probe layer       says as whom it runs, and what it finds at the top
 *
 * tests/integration/test_staying_files.py and test_staying_root.py put it in the place of mover.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void probe_try(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	fprintf(stderr, "%s %s\n", path, fd < 0 ? "refused" : "written");
	close(fd);
}

/* More than a tar without members has. */
static void probe_say_who(void)
{
	printf("%u %u %d %d\n%2000s\n", geteuid(), getegid(), !access("/upper", F_OK),
	       open("/etc/passwd", O_RDONLY | O_CLOEXEC), "");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "stat"))
		puts("file 644 1 1 61");
	if (argc > 1 && !strcmp(argv[1], "layer"))
		probe_say_who();
	if (argc < 2 || strcmp(argv[1], "put") != 0)
		return 0;
	probe_try("here");
	probe_try("../beside");
	probe_try("../existing");
	probe_try("../../beside");
	return 0;
}
