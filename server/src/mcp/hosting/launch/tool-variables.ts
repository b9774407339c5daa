/**
 * Variables that decide what is loaded, executed or installed, and from where. Only the editors of a server may set
 * them: a value from another person's file must not have such a name. Loaders and some tools ignore the case of a name,
 * so case is ignored here.
 */

const words = (...lines: readonly string[]) => lines.flatMap((line) => line.split(' '));

const BEGINNINGS = words(
  // Loaders and the C library, shells, and the places where programs look for their settings.
  'ld_ dyld_ glibc_ malloc_ resolv_ bash_ sudo_ xdg_',
  // Interpreters and virtual machines.
  'node_ deno_ bun_ electron_ ts_node_ tsx_ python ruby perl lua_ php java_ _java_ jdk_ jre_ jvm_ dotnet_ coreclr_ cor_ mono_ julia_',
  // Package tools.
  'npm_ npx_ yarn_ pnpm_ corepack_ nvm_ volta_ nodenv_ pip_ pipx_ pipenv_ uv_ uvx_ poetry_ pdm_ hatch_ rye_ conda_ mamba_ pixi_',
  'pyenv_ virtualenv_ virtual_env setuptools_ distutils_ gem_ bundle_ bundler_ composer_ maven_ mvn_ gradle_ nuget_ cargo_ rust cgo_',
  // Build tools, which packages with native parts start, and download tools.
  'cmake_ pkg_config gyp_ gcc_ git_ curl_ wget ssl_cert_ openssl_',
);
const ENDINGS = ['_proxy', '_ca_bundle', 'pager'];
const NAMES: ReadonlySet<string> = new Set(
  words(
    'path home shell env shellopts ifs cdpath ps4 prompt_command zdotdir tmpdir tmp temp editor visual browser proxy netrc',
    'gconv_path locpath nlspath getconf_dir hostaliases localdomain res_options __pyvenv_launcher__ classpath n_prefix',
    'goproxy goflags goenv gopath goroot gobin gosumdb gonosumdb gonosumcheck gonoproxy goprivate goinsecure govcs goauth',
    'gotoolchain gocache gomodcache gotmpdir gowork goexe go111module r_libs r_profile r_environ',
    'cc cxx cpp ld ar as nm make makeflags mflags gnumakeflags cflags cxxflags cppflags ldflags cpath library_path',
    'compiler_path c_include_path cplus_include_path objc_include_path ssh_askpass ssh_auth_sock ssh_command sslkeylogfile',
  ),
);

/** These change what is printed or how text is read, but not what runs. */
const HARMLESS: ReadonlySet<string> = new Set(['NODE_ENV', 'PYTHONUNBUFFERED', 'PYTHONIOENCODING', 'PYTHONUTF8']);

export function isReadByTools(name: string): boolean {
  if (HARMLESS.has(name)) return false;
  const plain = name.toLowerCase();
  return (
    NAMES.has(plain) ||
    BEGINNINGS.some((beginning) => plain.startsWith(beginning)) ||
    ENDINGS.some((ending) => plain.endsWith(ending))
  );
}
