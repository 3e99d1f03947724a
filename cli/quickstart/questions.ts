/** Questions that Fastify's documentation answers in so many words. */
export const questions = [
  'Which Node.js versions does Fastify v5 support?',
  'Why should I not use arrow functions in a hook?',
  'How do I listen on all IPv4 addresses in Docker?',
] as const;
