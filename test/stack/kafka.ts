import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accepts, freePort, installFolder, run, startNativeServer, type NativeServer } from './native-server.js';

const version = '4.4.0';

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.5</version></dependency>
  </dependencies>
</project>
`;

const logging = `rootLogger.level = WARN
rootLogger.appenderRef.stdout.ref = STDOUT
appender.console.type = Console
appender.console.name = STDOUT
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d] %p %m (%c)%n
`;

const properties = (port: number, controllerPort: number, data: string): string => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs=${data}
num.network.threads=2
num.io.threads=4
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
log.cleaner.dedupe.buffer.size=16777216
initial.broker.registration.timeout.ms=30000
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
`;

/** The broker's jars, copied once out of Maven's repository. */
async function install(): Promise<string> {
  const folder = join(installFolder(), `kafka-${version}`);
  if (existsSync(join(folder, 'complete'))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'pom.xml'), pom);
  const copy = ['-B', '-q', '-f', join(folder, 'pom.xml'), 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  await run('mvn', [...copy, `-DoutputDirectory=${folder}`]);
  await writeFile(join(folder, 'log4j2.properties'), logging);
  await writeFile(join(folder, 'complete'), '');
  return folder;
}

/** Apache Kafka in KRaft mode: one process that is broker and controller. The URL is the bootstrap server. */
export async function startKafka(data: string): Promise<NativeServer> {
  const jars = await install();
  const [port, controllerPort] = [await freePort(), await freePort()];
  const settings = join(data, 'server.properties');
  await mkdir(data, { recursive: true });
  await writeFile(settings, properties(port, controllerPort, join(data, 'log')));
  const java = ['-Xms128m', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`];
  java.push(`-Dlog4j2.configurationFile=${jars}/log4j2.properties`);
  const id = (await run('java', [...java, 'kafka.tools.StorageTool', 'random-uuid'])).trim().split('\n').at(-1) ?? '';
  await run('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', settings, '--ignore-formatted']);
  return startNativeServer({
    name: 'Kafka',
    url: `127.0.0.1:${port}`,
    command: 'java',
    args: [...java, 'kafka.Kafka', settings],
    healthy: () => accepts(port),
  });
}
