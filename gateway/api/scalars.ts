import { Type, type TSchema } from '@sinclair/typebox';

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const timestamp = (description: string) => Type.String({ format: 'date-time', description });

export const jsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
