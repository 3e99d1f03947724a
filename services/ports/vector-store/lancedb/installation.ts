import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const file = (folder: string): string => join(folder, 'installation-id');

/** The id that the folder was marked with, or undefined when it is new. */
export async function readInstallation(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(file(folder), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeInstallation(folder: string, id: string): Promise<void> {
  const temporary = `${file(folder)}.new`;
  await writeFile(temporary, `${id}\n`, { flush: true });
  await rename(temporary, file(folder));
}
