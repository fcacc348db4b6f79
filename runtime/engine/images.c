/*
 * images - stub
 */
#include "engine/images.h"
void images_list(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_create(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_load(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_prune(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_get(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_of(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_tag(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_remove(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
void images_build(struct request *r)
{
	request_refuse(r, 501, "not here yet");
}
bool images_take(struct request *r, const char *bytes, size_t length)
{
	(void)r;
	(void)bytes;
	(void)length;
	return true;
}
