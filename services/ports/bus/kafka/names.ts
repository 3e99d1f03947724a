/** The names that topics and groups have in a cluster that several installations share. */
export interface Names {
  /** Of a topic or group. */
  inCluster(name: string): string;
  /** Undefined for what is not ours. */
  ofTopic(nameInCluster: string): string | undefined;
}

export const namesWith = (prefix: string): Names => ({
  inCluster: (name) => prefix + name,
  ofTopic: (name) => (name.startsWith(prefix) && !name.startsWith('__') ? name.slice(prefix.length) : undefined),
});
