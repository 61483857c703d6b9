package io.fairlead.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fairlead.Context;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which of the engine's classes use each other in circles. The lists may only get shorter: a class that has left its circle leaves the list too. */
@Timeout(120)
final class ClassCyclesTest {
    private static final List<String> CIRCLES = List.of(
            // An endpoint and its worker, which each tell the other what has become of it.
            "engine: ActiveMessages Connections CoreContext CoreEndpoint CoreEndpointHost CoreWorker"
                    + " EndpointLifecycle EndpointTable EndpointTransport HeldMessages ReceiveMatching"
                    + " WorkerShutdown",
            // What is in a collection and leaves it by itself, and a message and where it comes from.
            "matching: CoreArrival MessageSource",
            "matching: PostedList PostedReceive",
            "memory: CoreRegion RegionRegistry RegionTable",
            "memory: CoreRemoteKey EndpointKeys");

    @Test
    void shouldHaveNoCircleOfClassesButThoseThatAreListed() {
        Map<String, Set<String>> reached = new TreeMap<>();
        Map<String, Set<String>> uses = uses();
        uses.keySet().forEach(type -> reached.put(type, reach(type, uses)));
        Set<String> circles = new TreeSet<>();
        reached.forEach((type, others) -> {
            Set<String> circle = new TreeSet<>(Comparator.comparing(ClassCyclesTest::simpleName));
            others.stream().filter(other -> reached.get(other).contains(type)).forEach(circle::add);
            if (circle.size() > 1) {
                circles.add(packageName(type) + ": "
                        + String.join(
                                " ",
                                circle.stream().map(ClassCyclesTest::simpleName).toList()));
            }
        });
        assertEquals(CIRCLES, List.copyOf(circles));
    }

    /** Who uses whom, nested classes being their outermost class. */
    private static Map<String, Set<String>> uses() {
        Map<String, Set<String>> uses = new HashMap<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackagesOf(Context.class)) {
            if (isInternal(type)) {
                Set<String> used = uses.computeIfAbsent(outermost(type), _ -> new HashSet<>());
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (isInternal(target)) {
                        used.add(outermost(target));
                        uses.computeIfAbsent(outermost(target), _ -> new HashSet<>());
                    }
                }
            }
        }
        return uses;
    }

    private static Set<String> reach(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new HashSet<>();
        ArrayDeque<String> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty()) {
            for (String next : uses.get(open.remove())) {
                if (reached.add(next)) {
                    open.add(next);
                }
            }
        }
        return reached;
    }

    private static boolean isInternal(JavaClass type) {
        return type.getPackageName().startsWith("io.fairlead.internal.");
    }

    private static String outermost(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static String simpleName(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private static String packageName(String type) {
        return type.substring("io.fairlead.internal.".length(), type.lastIndexOf('.'));
    }
}
