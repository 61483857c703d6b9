package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Tries UCX where there is hardly any shared memory, and says how that went. */
final class SmallSharedMemoryProgram {
    private SmallSharedMemoryProgram() {}

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        out.println("availability: " + new UcxProvider().availability());
        try (RawNode node = new RawNode()) {
            out.println("worker: address of " + node.worker.address().length + " bytes");
        } catch (FairleadException failure) {
            out.println("worker: " + failure.reason() + " " + failure.getMessage());
        }
    }
}
