/*
 * pkcs11 - the functions of p11-kit that GnuTLS names: there is no PKCS #11 in the one file.
 *
 * p11-kit loads modules, libraries of the host's, and Debian has no static form of it. GnuTLS calls
 * it for keys and certificates that a "pkcs11:" URL names. Our programs give GnuTLS theirs in
 * memory or as a file (runtime/web/tls.c, agent/server/http_client.c), so they call none of this.
 *
 * The functions that make an object (a URI, a PIN, a module) make none, and GnuTLS returns an
 * error for that. So the functions that take such an object are never called: they are here because
 * the linker wants their names.
 */
/* iter.h shows nothing without it; GnuTLS defines it, too. */
#define P11_KIT_FUTURE_UNSTABLE_API
#include <p11-kit/iter.h>
#include <p11-kit/p11-kit.h>
#include <p11-kit/pin.h>
#include <p11-kit/uri.h>
#include <stddef.h>

/* -- what makes an object: none ---------------------------------------------------------------- */

CK_FUNCTION_LIST **p11_kit_modules_load(const char *reserved, int flags)
{
	(void)reserved;
	(void)flags;
	return NULL;
}

CK_FUNCTION_LIST *p11_kit_module_load(const char *module_path, int flags)
{
	(void)module_path;
	(void)flags;
	return NULL;
}

P11KitUri *p11_kit_uri_new(void)
{
	return NULL;
}

P11KitPin *p11_kit_pin_new_for_string(const char *value)
{
	(void)value;
	return NULL;
}

P11KitPin *p11_kit_pin_request(const char *pin_source, P11KitUri *pin_uri,
			       const char *pin_description, P11KitPinFlags pin_flags)
{
	(void)pin_source;
	(void)pin_uri;
	(void)pin_description;
	(void)pin_flags;
	return NULL;
}

P11KitPin *p11_kit_pin_file_callback(const char *pin_source, P11KitUri *pin_uri,
				     const char *pin_description, P11KitPinFlags pin_flags,
				     void *callback_data)
{
	(void)callback_data;
	return p11_kit_pin_request(pin_source, pin_uri, pin_description, pin_flags);
}

int p11_kit_pin_register_callback(const char *pin_source, p11_kit_pin_callback callback,
				  void *callback_data, p11_kit_pin_destroy_func callback_destroy)
{
	(void)pin_source;
	(void)callback;
	(void)callback_data;
	(void)callback_destroy;
	return -1;
}

void p11_kit_pin_unregister_callback(const char *pin_source, p11_kit_pin_callback callback,
				     void *callback_data)
{
	(void)pin_source;
	(void)callback;
	(void)callback_data;
}

/* -- what is said of an error ------------------------------------------------------------------ */

const char *p11_kit_message(void)
{
	return "PKCS #11 is not in this program";
}

const char *p11_kit_strerror(CK_RV rv)
{
	(void)rv;
	return p11_kit_message();
}

/* -- what takes a module ----------------------------------------------------------------------- */

CK_RV p11_kit_module_finalize(CK_FUNCTION_LIST *module)
{
	(void)module;
	return CKR_FUNCTION_NOT_SUPPORTED;
}

void p11_kit_module_release(CK_FUNCTION_LIST *module)
{
	(void)module;
}

int p11_kit_module_get_flags(CK_FUNCTION_LIST *module)
{
	(void)module;
	return 0;
}

char *p11_kit_module_get_name(CK_FUNCTION_LIST *module)
{
	(void)module;
	return NULL;
}

char *p11_kit_config_option(CK_FUNCTION_LIST *module, const char *option)
{
	(void)module;
	(void)option;
	return NULL;
}

size_t p11_kit_space_strlen(const unsigned char *string, size_t max_length)
{
	(void)string;
	(void)max_length;
	return 0;
}

char *p11_kit_space_strdup(const unsigned char *string, size_t max_length)
{
	(void)string;
	(void)max_length;
	return NULL;
}

/* -- what takes a PIN -------------------------------------------------------------------------- */

void p11_kit_pin_unref(P11KitPin *pin)
{
	(void)pin;
}

const unsigned char *p11_kit_pin_get_value(P11KitPin *pin, size_t *length)
{
	(void)pin;
	*length = 0;
	return NULL;
}

size_t p11_kit_pin_get_length(P11KitPin *pin)
{
	(void)pin;
	return 0;
}

/* -- what takes a URI; the first is called with NULL ------------------------------------------- */

void p11_kit_uri_free(P11KitUri *uri)
{
	(void)uri;
}

int p11_kit_uri_parse(const char *string, P11KitUriType uri_type, P11KitUri *uri)
{
	(void)string;
	(void)uri_type;
	(void)uri;
	return P11_KIT_URI_UNEXPECTED;
}

int p11_kit_uri_format(P11KitUri *uri, P11KitUriType uri_type, char **string)
{
	(void)uri;
	(void)uri_type;
	*string = NULL;
	return P11_KIT_URI_UNEXPECTED;
}

CK_ATTRIBUTE_PTR p11_kit_uri_get_attribute(P11KitUri *uri, CK_ATTRIBUTE_TYPE attr_type)
{
	(void)uri;
	(void)attr_type;
	return NULL;
}

CK_ATTRIBUTE_PTR p11_kit_uri_get_attributes(P11KitUri *uri, CK_ULONG *n_attrs)
{
	(void)uri;
	*n_attrs = 0;
	return NULL;
}

int p11_kit_uri_set_attribute(P11KitUri *uri, CK_ATTRIBUTE_PTR attr)
{
	(void)uri;
	(void)attr;
	return P11_KIT_URI_UNEXPECTED;
}

CK_INFO_PTR p11_kit_uri_get_module_info(P11KitUri *uri)
{
	(void)uri;
	return NULL;
}

CK_TOKEN_INFO_PTR p11_kit_uri_get_token_info(P11KitUri *uri)
{
	(void)uri;
	return NULL;
}

int p11_kit_uri_match_module_info(const P11KitUri *uri, const CK_INFO *info)
{
	(void)uri;
	(void)info;
	return 0;
}

int p11_kit_uri_match_token_info(const P11KitUri *uri, const CK_TOKEN_INFO *token_info)
{
	(void)uri;
	(void)token_info;
	return 0;
}

const char *p11_kit_uri_get_pin_source(const P11KitUri *uri)
{
	(void)uri;
	return NULL;
}

const char *p11_kit_uri_get_pin_value(const P11KitUri *uri)
{
	(void)uri;
	return NULL;
}

/* -- objects of a module, of which GnuTLS 3.8 asks --------------------------------------------- */

P11KitIter *p11_kit_iter_new(P11KitUri *uri, P11KitIterBehavior behavior)
{
	(void)uri;
	(void)behavior;
	return NULL;
}

void p11_kit_iter_free(P11KitIter *iter)
{
	(void)iter;
}

void p11_kit_iter_add_filter(P11KitIter *iter, CK_ATTRIBUTE *matching, CK_ULONG count)
{
	(void)iter;
	(void)matching;
	(void)count;
}

void p11_kit_iter_begin_with(P11KitIter *iter, CK_FUNCTION_LIST_PTR module, CK_SLOT_ID slot,
			     CK_SESSION_HANDLE session)
{
	(void)iter;
	(void)module;
	(void)slot;
	(void)session;
}

CK_RV p11_kit_iter_next(P11KitIter *iter)
{
	(void)iter;
	return CKR_CANCEL; /* there are no more */
}

CK_OBJECT_HANDLE p11_kit_iter_get_object(P11KitIter *iter)
{
	(void)iter;
	return 0;
}

CK_RV p11_kit_iter_get_attributes(P11KitIter *iter, CK_ATTRIBUTE *template, CK_ULONG count)
{
	(void)iter;
	(void)template;
	(void)count;
	return CKR_GENERAL_ERROR;
}
