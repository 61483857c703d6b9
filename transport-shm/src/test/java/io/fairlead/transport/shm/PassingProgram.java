package io.fairlead.transport.shm;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Worker;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/** A process that connects, maps a region and closes, again and again until it is killed. */
final class PassingProgram {
    static final String RUNS = "runs";

    private PassingProgram() {}

    /** The port, a file with the configuration, and the region's key. */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        int port = Integer.parseInt(arguments[0]);
        byte[] key = HexFormat.of().parseHex(arguments[2]);
        try (Context context = Context.open(SurroundingsProgram.config(Path.of(arguments[1])));
                Worker worker = context.newWorker()) {
            passAndClose(worker, port, key);
            out.println(RUNS);
            while (true) {
                passAndClose(worker, port, key);
            }
        }
    }

    /** One connection over which the region's descriptor is passed too, after those whose peer was busy for too long. */
    static void passAndClose(Worker worker, int port, byte[] key) {
        while (!tryPassAndClose(worker, port, key)) {
            Thread.yield();
        }
    }

    /** One connection; whether the region's descriptor was passed. */
    private static boolean tryPassAndClose(Worker worker, int port, byte[] key) {
        Endpoint endpoint =
                worker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), EndpointHandler.NONE);
        drive(worker, endpoint, EndpointState.CONNECTING);
        if (endpoint.state() != EndpointState.CONNECTED) {
            throw new IllegalStateException("not connected: " + endpoint);
        }
        var region = endpoint.unpack(key);
        boolean isPassed = region.mapped().isPresent();
        region.close();
        endpoint.startClose();
        drive(worker, endpoint, EndpointState.CLOSING);
        return isPassed;
    }

    private static void drive(Worker worker, Endpoint endpoint, EndpointState state) {
        while (endpoint.state() == state) {
            if (worker.progress() == 0) {
                Thread.yield();
            }
        }
    }
}
