package io.fairlead.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;

/** Whether this process can share memory. */
final class SharedMemory {
    static final String REMEDY = "let the container's seccomp profile allow memfd_create and local sockets";

    private SharedMemory() {}

    /** Why it cannot share memory even with itself; empty if it can. */
    static String problem() {
        try (MemoryFile file = MemoryFile.create(Long.BYTES, Arena.ofConfined())) {
            pass(file.descriptor());
            return "";
        } catch (IOException refused) {
            return "memory cannot be shared between processes: " + refused.getMessage() + "; " + REMEDY;
        } catch (IllegalCallerException denied) {
            return "native access is denied to the shm transport; start Java with " + NativeAccess.option();
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError broken) {
            Throwable root = broken;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return root instanceof IllegalCallerException
                    ? "native access is denied to the shm transport; start Java with " + NativeAccess.option()
                    : "memory cannot be shared between processes: " + root.getMessage()
                            + "; use a C library that has it";
        }
    }

    /** Passes a file to this process itself, and maps it. */
    private static void pass(int file) throws IOException {
        SocketId id = SocketId.random();
        try (SocketPlace.Listening listening = SocketPlace.NAMESPACE.listen(id, 1);
                LocalSocket connected = SocketPlace.NAMESPACE.connect(id);
                LocalSocket accepted = listening.socket().accept()) {
            connected.send(new byte[1], file);
            LocalSocket.Packet packet = accepted == null ? null : accepted.receive(1);
            if (packet == null) {
                throw new IOException("a local socket passes nothing");
            }
            try (MemoryFile _ = MemoryFile.open(packet.descriptor(), Long.BYTES)) {
                // It can be mapped.
            } finally {
                packet.close();
            }
        }
    }

    /** Why two processes do not find each other's sockets, if one looks in a folder and the other does not. */
    static String elsewhere(boolean isHereInFolder, String here, String there) {
        return "shm.socket-dir is set at the " + (isHereInFolder ? here : there) + " alone; set it at both or at none";
    }

    /** Why a peer of this host has no path by shared memory: nobody answers at its socket. */
    static String unreachable(String side, LocalSocket.RefusedException refused) {
        return "the " + side + "'s socket does not answer: " + refused.getMessage()
                + (refused.isFull()
                        ? ", too many connections wait for the " + side
                        : ", they may be in different network namespaces; set shm.socket-dir at both to a folder that"
                                + " both have");
    }
}
