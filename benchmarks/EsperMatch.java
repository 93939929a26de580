import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPRuntimeProvider;

/**
 * Esper's match_recognize on the paper's stream with certain times: {@code EsperMatch EVENTS RUNS V1 V2 V3} prints the
 * seconds and the number of matches of every run as JSON. Compiling the query is not counted. What cannot match any
 * more is let go by the conditions of x and y; Esper's pattern language, every a -> (b -> c) where timer:within, finds
 * the same and takes longer.
 */
public class EsperMatch {
    private static final String QUERY = String.join(" ",
        "select * from Number match_recognize (",
        "measures a.id as one, b.id as two, c.id as three",
        "after match skip to next row",
        "pattern (a x*? b y*? c)",
        "define a as a.v %% %d = 0, x as x.t - a.t < 100, b as b.v %% %d = 0 and b.t - a.t < 100,",
        "y as y.t - a.t < 100, c as c.v %% %d = 0 and c.t - a.t < 100)");

    /** An event: Esper reads its getters. */
    public static class Number {
        private final long id;
        private final long v;
        private final long t;

        public Number(long id, long v, long t) {
            this.id = id;
            this.v = v;
            this.t = t;
        }

        public long getId() {
            return id;
        }

        public long getV() {
            return v;
        }

        public long getT() {
            return t;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        int runs = Integer.parseInt(arguments[1]);
        var query = String.format(QUERY, (Object[]) java.util.stream.IntStream.range(2, 5)
            .mapToObj(at -> Long.parseLong(arguments[at])).toArray());
        var configuration = new Configuration();
        configuration.getCommon().addEventType(Number.class);
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        var compiled = EPCompilerProvider.getCompiler().compile(query, new CompilerArguments(configuration));
        var told = new java.util.ArrayList<String>();
        for (int run = 0; run < runs; run++) {
            var runtime = EPRuntimeProvider.getRuntime("run" + run, configuration);
            var service = runtime.getEventService();
            service.advanceTime(0);
            long[] found = {0};
            runtime.getDeploymentService().deploy(compiled).getStatements()[0].addListener(
                (fresh, old, statement, source) -> found[0] += fresh == null ? 0 : fresh.length);
            long start = System.nanoTime();
            for (int k = 0; k < count; k++) {
                service.sendEventBean(new Number(k, k % 1000 + 1, k), "Number");
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            told.add("{\"seconds\": " + seconds + ", \"matches\": " + found[0] + "}");
            runtime.destroy();
        }
        System.out.println("[" + String.join(", ", told) + "]");
    }
}
