package io.fairlead.transport.shm;

import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.AvailableMemory;
import io.fairlead.spi.host.HostFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Checks whether, and how fast, processes of this host can share memory.
 *
 * @param files the kernel's files
 * @param problem why memory cannot be shared at all; empty if it can
 * @param processRead tries {@code process_vm_readv} on this process: the error number, or 0
 */
record ShmDiagnosis(HostFiles files, Supplier<String> problem, IntSupplier processRead) {
    private static final long LITTLE = 256L << 20;

    List<Diagnosis> run() {
        List<Diagnosis> findings = new ArrayList<>();
        String reason = problem.get();
        if (!reason.isEmpty()) {
            findings.add(Diagnosis.failure(
                    "shm files", reason + ", so processes of this host talk over TCP", SharedMemory.REMEDY));
            return findings;
        }
        findings.add(Diagnosis.ok("shm files", "memory can be shared between processes of this host"));
        findings.add(memory());
        findings.add(new ReadPermission(files).diagnose(processRead.getAsInt()));
        return findings;
    }

    private Diagnosis memory() {
        long available = new AvailableMemory(files).bytes();
        if (available == Long.MAX_VALUE) {
            return Diagnosis.ok("shm memory", "the available memory is unknown");
        }
        String finding = String.format(Locale.ROOT, "available=%d MiB", available >> 20);
        return available < LITTLE
                ? Diagnosis.warning(
                        "shm memory",
                        finding + ", which regions and the rings of a few hundred connections fill",
                        "free memory, or raise the memory limit of the container")
                : Diagnosis.ok("shm memory", finding);
    }
}
