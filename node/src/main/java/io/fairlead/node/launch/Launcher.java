package io.fairlead.node.launch;

import java.util.Optional;

/** The known launchers, in the order in which they are checked: one may have been started by one below it. */
enum Launcher {
    /** Kubernetes' training operators write the same variables, and people set them by hand. */
    TORCHRUN("torchrun", "RANK", "WORLD_SIZE") {
        @Override
        Optional<String> host(LaunchVariables variables) {
            return Optional.empty();
        }
    },
    OPEN_MPI("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE") {
        @Override
        Optional<String> host(LaunchVariables variables) {
            return variables.isLocal("OMPI_COMM_WORLD_LOCAL_SIZE", sizeName()).or(variables::slurmHost);
        }
    },
    MPICH("MPICH", "PMI_RANK", "PMI_SIZE") {
        @Override
        Optional<String> host(LaunchVariables variables) {
            return variables.isLocal("MPI_LOCALNRANKS", sizeName()).or(variables::slurmHost);
        }
    },
    /** A batch script has {@code SLURM_PROCID} too and is no step, so the size of the step decides. */
    SLURM("Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS") {
        @Override
        boolean hasStarted(LaunchVariables variables) {
            return variables.has(rankName()) && variables.has(sizeName());
        }

        @Override
        Optional<String> host(LaunchVariables variables) {
            return variables.slurmHost();
        }
    },
    /** Kubernetes passes no number of completions, so the manifest has to. */
    KUBERNETES("Kubernetes", "JOB_COMPLETION_INDEX", "WORLD_SIZE") {
        @Override
        Optional<String> host(LaunchVariables variables) {
            return variables.firstPod(rankName());
        }
    };

    /** Below the ports that kernels give to outgoing connections. */
    private static final int PORT_FIRST = 20_000;

    private static final int PORTS = 10_000;

    private final String title;
    private final String rankName;
    private final String sizeName;

    Launcher(String title, String rankName, String sizeName) {
        this.title = title;
        this.rankName = rankName;
        this.sizeName = sizeName;
    }

    final String rankName() {
        return rankName;
    }

    final String sizeName() {
        return sizeName;
    }

    boolean hasStarted(LaunchVariables variables) {
        return variables.has(rankName);
    }

    /** Where process 0 runs, if this launcher says so. */
    abstract Optional<String> host(LaunchVariables variables);

    final Launch read(LaunchVariables variables) {
        int size = variables.number(title, sizeName, 1, Launch.SIZE_MAX);
        int rank = variables.number(title, rankName, 0, size - 1);
        String host = variables
                .text("MASTER_ADDR")
                .or(() -> host(variables))
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                title
                                        + " does not tell where process 0 runs: set MASTER_ADDR to its host, the same for every process"));
        int port = variables.has("MASTER_PORT")
                ? variables.number(title, "MASTER_PORT", 1, Launch.PORT_MAX)
                : PORT_FIRST + Math.floorMod(variables.job().hashCode(), PORTS);
        return new Launch(title, rank, size, host, port);
    }
}
