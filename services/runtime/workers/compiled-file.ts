const source = /^(.*)\/(services\/.*)\.ts$/;

/**
 * The path of a worker's file, given as `new URL('./x-worker.js', import.meta.url)`. Workers run compiled code, also
 * when tests run the sources: then it is the file that the build put under dist/.
 */
export function compiledFile(file: URL): string {
  const path = decodeURIComponent(file.pathname);
  const parts = source.exec(path.replace(/\.js$/, '.ts'));
  return path.includes('/dist/') || parts === null ? path : `${parts[1]}/dist/${parts[2]}.js`;
}
