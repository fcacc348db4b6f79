import site

print(site.ENABLE_USER_SITE, site.getusersitepackages(), site.getsitepackages(), site.PREFIXES)
