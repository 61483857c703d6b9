package io.fairlead.testkit.contract;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The servers of cases, in a process of its own, one after the other: does what the case's process calls for. Ends with that process. */
final class ServerProgram implements ServerProcess.Servers {
    private final FarCalls calls;
    private @Nullable Resources before;

    private ServerProgram(FarCalls calls) {
        this.calls = calls;
    }

    /**
     * Runs the servers.
     *
     * @param arguments the transport's name, the socket of the case's process, and the file with the buffers
     */
    public static void main(String[] arguments) throws IOException {
        FarMemory memory = FarMemory.ofChild(Path.of(arguments[2]));
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(arguments[1]));
            FarCalls calls = new FarCalls(channel, memory);
            calls.offer(new ServerProgram(calls));
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)
                    .println(PeerProgram.PREFIX + "serves");
            calls.serveAll();
        }
        // Threads of a case that has failed may live.
        System.exit(0);
    }

    @Override
    public void begin() {
        before = Resources.now();
    }

    @Override
    public Context open(FairleadConfig config) {
        return Context.open(SecuredTransport.configured(config));
    }

    @Override
    public void end() {
        calls.forget();
        if (before != null) {
            Resources.assertNothingSince(before);
        }
    }
}
