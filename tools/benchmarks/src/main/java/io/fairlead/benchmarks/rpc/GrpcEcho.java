package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.process.ProcessorTime;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The answering process of {@link GrpcUnary}: a server for each contestant. */
final class GrpcEcho {
    private GrpcEcho() {}

    /**
     * Answers until its input ends. Says the ports of its servers in one line, and for each line that it reads what it has taken of the processor.
     *
     * @param args the path of the socket, then the contestants
     */
    public static void main(String[] args) throws IOException {
        Path socket = Path.of(args[0]);
        List<Server> servers = new ArrayList<>();
        List<GrpcLoops> loops = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (String name : Arrays.asList(args).subList(1, args.length)) {
            GrpcLoops own = new GrpcLoops(GrpcContestant.valueOf(name));
            loops.add(own);
            Server server = own.server(socket);
            servers.add(server);
            ports.add(String.valueOf(server.getPort()));
        }
        System.out.println(String.join(" ", ports));
        for (int read = System.in.read(); read >= 0; read = System.in.read()) {
            System.out.println(ProcessorTime.ofThisProcessNs());
        }
        servers.forEach(Server::shutdownNow);
        loops.forEach(GrpcLoops::close);
    }
}
