import { SluiceError } from '../services/domain/errors.js';
import type { App } from './http/type-provider.js';

/** Throws configuration-invalid, naming `setting`, for a port in use or an address that cannot be listened on. */
export async function listen(
  app: App,
  { host, port }: { readonly host: string; readonly port: number },
  setting: string,
): Promise<{ url: string }> {
  try {
    return { url: await app.listen({ host, port }) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      const what = `port ${port} on ${host} is in use by another process`;
      throw new SluiceError('configuration-invalid', `${what}: stop it, or choose another ${setting} (0: a free one)`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
      throw new SluiceError('configuration-invalid', `cannot listen on ${host}, port ${port}: ${code}`);
    }
    throw error;
  }
}
