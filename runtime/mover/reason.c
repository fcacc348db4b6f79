/*
 * reason - the C library's words for an error number, which mover has to do without.
 */
#include "mover/reason.h"

#include <errno.h>
#include <stddef.h>

/* strerror(3), for what a file can be refused with. */
static const struct {
	int number;
	const char *text;
} reasons[] = {
	{EPERM,        "Operation not permitted"              },
	{ENOENT,       "No such file or directory"            },
	{EIO,          "Input/output error"                   },
	{ENXIO,        "No such device or address"            },
	{ENOMEM,       "Cannot allocate memory"               },
	{EACCES,       "Permission denied"                    },
	{EBUSY,        "Device or resource busy"              },
	{EEXIST,       "File exists"                          },
	{EXDEV,        "Invalid cross-device link"            },
	{ENOTDIR,      "Not a directory"                      },
	{EISDIR,       "Is a directory"                       },
	{EINVAL,       "Invalid argument"                     },
	{ENFILE,       "Too many open files in system"        },
	{EMFILE,       "Too many open files"                  },
	{ETXTBSY,      "Text file busy"                       },
	{EFBIG,        "File too large"                       },
	{ENOSPC,       "No space left on device"              },
	{EROFS,        "Read-only file system"                },
	{EMLINK,       "Too many links"                       },
	{EPIPE,        "Broken pipe"                          },
	{ENAMETOOLONG, "File name too long"                   },
	{ENOTEMPTY,    "Directory not empty"                  },
	{ELOOP,        "Too many levels of symbolic links"    },
	{EOVERFLOW,    "Value too large for defined data type"},
	{EOPNOTSUPP,   "Operation not supported"              },
	{ESTALE,       "Stale file handle"                    },
	{EDQUOT,       "Disk quota exceeded"                  },
};

const char *reason_of(long error)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].number == -error)
			return reasons[i].text;
	}
	return NULL;
}
