package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.process.SecondProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A process with a gRPC server for each contestant, and in this process a client of each. */
final class GrpcPairs implements AutoCloseable {
    private final Path folder;
    private final Process answering;
    private final BufferedReader said;
    private final List<GrpcClient> clients = new ArrayList<>();

    private GrpcPairs(Path folder, List<GrpcContestant> contestants) throws IOException {
        this.folder = folder;
        List<String> arguments = Stream.concat(
                        Stream.of(socket().toString()), contestants.stream().map(Enum::name))
                .toList();
        answering = SecondProcess.start(List.of(), GrpcEcho.class, arguments);
        said = answering.inputReader();
    }

    static GrpcPairs start(List<GrpcContestant> contestants) throws IOException {
        GrpcPairs pairs = new GrpcPairs(Files.createTempDirectory("fairlead-grpc"), contestants);
        try {
            String[] ports = pairs.line().split(" ", -1);
            for (int i = 0; i < contestants.size(); i++) {
                pairs.clients.add(new GrpcClient(contestants.get(i), Integer.parseInt(ports[i]), pairs.socket()));
            }
            return pairs;
        } catch (IOException | RuntimeException failure) {
            pairs.close();
            throw failure;
        }
    }

    private Path socket() {
        return folder.resolve("socket");
    }

    private String line() throws IOException {
        String line = said.readLine();
        if (line == null) {
            throw new IOException("the answering process has ended");
        }
        return line;
    }

    /** In the order of the contestants. */
    List<GrpcClient> clients() {
        return clients;
    }

    /** What the answering process has taken of the processors. */
    long answeringProcessorNs() throws IOException {
        answering.outputWriter().append('\n').flush();
        return Long.parseLong(line());
    }

    @Override
    public void close() throws IOException {
        clients.forEach(GrpcClient::close);
        answering.destroy();
        said.close();
        Files.deleteIfExists(socket());
        Files.deleteIfExists(folder);
    }
}
