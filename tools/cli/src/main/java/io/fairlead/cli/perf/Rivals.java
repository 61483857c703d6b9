package io.fairlead.cli.perf;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** The rivals on the class path, each opened when it is first asked for. Belongs to one thread. */
final class Rivals implements AutoCloseable {
    private final Map<String, RivalProvider> providers = new LinkedHashMap<>();
    private final Map<String, Rival> open = new LinkedHashMap<>();

    Rivals() {
        for (RivalProvider provider : ServiceLoader.load(RivalProvider.class)) {
            providers.put(provider.name(), provider);
        }
    }

    List<String> names() {
        return List.copyOf(providers.keySet());
    }

    /** Empty if there is no rival of that name. All tests of a rival have the same lanes. */
    Optional<Rival> named(String name, String lanes) {
        RivalProvider provider = providers.get(name);
        return provider == null ? Optional.empty() : Optional.of(open.computeIfAbsent(name, _ -> provider.open(lanes)));
    }

    @Override
    public void close() {
        open.values().forEach(Rival::close);
        open.clear();
    }
}
