/** Questions that Fastify's documentation answers in so many words. */
export const questions = [
  'Which Node.js versions does Fastify v5 support?',
  'When is the onTimeout hook called?',
  'Why should I not use arrow functions in a hook?',
] as const;
