import { Type } from '@sinclair/typebox';

export const registryConfig = Type.Object({
  url: Type.String({
    description:
      'The Confluent API of a schema registry, such as http://registry:8081 or, of Apicurio, http://registry:8080/apis/ccompat/v7. Empty: messages name their schema by its fingerprint, and nothing is asked.',
    default: '',
    pattern: '^(https?://[^ ]+)?$',
  }),
  register: Type.Boolean({
    description:
      'Whether the schemas of this release are registered at the start. If not, they must be there already, or nothing starts.',
    default: true,
  }),
  username: Type.String({ description: 'The user, or the id of an API key. Empty: none.', default: '' }),
  password: Type.String({ description: 'The password, or the secret of the API key.', default: '', secret: true }),
  token: Type.String({
    description: 'A bearer token, for registries that want one instead of a user.',
    default: '',
    secret: true,
  }),
  caFile: Type.String({
    description: 'A file with the certificates that sign the server’s, in PEM. Empty: those that Node.js trusts.',
    default: '',
  }),
  timeoutMs: Type.Integer({ description: 'How long one request may take.', default: 10_000, minimum: 1 }),
});
