/**
 * Variables that decide what is loaded, executed or installed, and from where. They belong to who runs the server: a value
 * that comes from somebody else's file must not stand under their names.
 */

/** Patterns of whole names. Loaders and some tools ignore the case, so all of it is ignored. */
const READ_BY_TOOLS = [
  // Loaders and the C library.
  'ld_.*|dyld_.*|glibc_.*|gconv_path|locpath|nlspath|malloc_.*|getconf_dir|hostaliases|localdomain|res_options|resolv_.*',
  // Shells, and what every program looks up.
  'path|home|shell|env|bash_.*|shellopts|ifs|cdpath|ps4|prompt_command|zdotdir|tmpdir|tmp|temp|xdg_.*',
  'editor|visual|.*pager|browser|sudo_.*',
  // Interpreters and virtual machines.
  'node_.*|deno_.*|bun_.*|electron_.*|ts_node_.*|tsx_.*|python.*|__pyvenv_launcher__|ruby.*|perl.*|lua_.*|php.*',
  '_?java_.*|jdk_java_options|jre_.*|jvm_.*|classpath|dotnet_.*|coreclr_.*|cor_.*|mono_.*|r_.*|julia_.*',
  // Package tools.
  'npm_.*|npx_.*|yarn_.*|pnpm_.*|corepack_.*|nvm_.*|volta_.*|nodenv_.*|n_prefix',
  'pip_.*|pipx_.*|pipenv_.*|uv_.*|uvx_.*|poetry_.*|pdm_.*|hatch_.*|rye_.*|conda_.*|mamba_.*|pixi_.*|pyenv_.*|virtual_?env.*',
  'setuptools_.*|distutils_.*|gem_.*|bundle_.*|bundler_.*|composer_.*|maven_.*|mvn_.*|gradle_.*|nuget_.*',
  'go(proxy|flags|env|path|root|bin|sumdb|nosumdb|nosumcheck|noproxy|private|insecure|vcs|auth|toolchain|cache|modcache|tmpdir|work|exe)',
  'go111module|cgo_.*|cargo_.*|rust.*',
  // Compilers and build tools, which packages with native parts start.
  'cc|cxx|cpp|ld|ar|as|nm|make|makeflags|mflags|gnumakeflags|cflags|cxxflags|cppflags|ldflags|cmake_.*|pkg_config.*|gyp_.*|gcc_.*|(c|cplus|objc)_include_path|cpath|library_path|compiler_path',
  // Where things are fetched from, and whom the answer is believed.
  'git_.*|ssh_(askpass|auth_sock|command)|.*_proxy|proxy|ssl_cert_.*|sslkeylogfile|openssl_.*|.*_ca_bundle|curl_.*|wget.*|netrc',
].join('|');
const PATTERN = new RegExp(`^(?:${READ_BY_TOOLS})$`, 'i');

/** They change what is printed or how text is read, and nothing of what runs. */
const HARMLESS: ReadonlySet<string> = new Set(['NODE_ENV', 'PYTHONUNBUFFERED', 'PYTHONIOENCODING', 'PYTHONUTF8']);

export function isReadByTools(name: string): boolean {
  return PATTERN.test(name) && !HARMLESS.has(name);
}
