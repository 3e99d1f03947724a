/** Questions that Fastify's documentation answers in so many words. */
export const questions = [
  'How do I limit the size of a request body?',
  'Which hook runs before the body is parsed?',
  'How do I change the log level of a single route?',
] as const;
